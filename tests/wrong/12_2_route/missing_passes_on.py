# expect: a missing kernel is an error
def route(priority, table, arguments, include, exclude):
    keys = set().union(include, *arguments) - exclude
    for key in priority:
        if key in keys and table.get(key, "fallthrough") != "fallthrough":
            return table[key]
    raise NotImplementedError
