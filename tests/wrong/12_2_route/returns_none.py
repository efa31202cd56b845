# expect: every key fell through
def route(priority, table, arguments, include, exclude):
    keys = set().union(include, *arguments) - exclude
    for key in priority:
        if key in keys and table.get(key) != "fallthrough":
            if key not in table:
                raise NotImplementedError(key)
            return table[key]
