# expect: the highest key that is left decides
def route(priority, table, arguments, include, exclude):
    keys = set().union(include, *arguments) - exclude
    for key in reversed(priority):
        if key in keys and table.get(key) != "fallthrough":
            return table[key]
    raise NotImplementedError
