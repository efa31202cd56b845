# expect: a key counts as soon as one argument carries it
def route(priority, table, arguments, include, exclude):
    keys = (set.intersection(*arguments) if arguments else set()) | include
    if len(arguments) > 1 and "Autograd" in arguments[-1]:
        keys |= arguments[-1]
    for key in priority:
        if key in keys - exclude and table.get(key) != "fallthrough":
            if key in table:
                return table[key]
            break
    raise NotImplementedError
