def route(priority, table, arguments, include, exclude):
    """The name of the kernel that the dispatcher would call."""
    keys = set(include)
    keys.update(*arguments)
    for key in priority:
        if key in keys - exclude and table.get(key) != "fallthrough":
            if key in table:
                return table[key]
            raise NotImplementedError(f"no kernel for {key}")
    raise NotImplementedError("no key decides")
