# expect: only the first tensor was asked
def route(priority, table, arguments, include, exclude):
    keys = (arguments[0] | include) - exclude
    for key in priority:
        if key in keys and table.get(key) != "fallthrough":
            if key in table:
                return table[key]
            break
    raise NotImplementedError
