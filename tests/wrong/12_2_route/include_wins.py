# expect: a key that is included and excluded stays out
def route(priority, table, arguments, include, exclude):
    keys = (set().union(*arguments) - exclude) | include
    for key in priority:
        if key in keys and table.get(key) != "fallthrough":
            if key in table:
                return table[key]
            break
    raise NotImplementedError
