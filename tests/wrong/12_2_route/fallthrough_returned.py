# expect: a fallthrough passes the call on
def route(priority, table, arguments, include, exclude):
    keys = set().union(include, *arguments) - exclude
    for key in priority:
        if key in keys:
            if key in table:
                return table[key]
            break
    raise NotImplementedError
