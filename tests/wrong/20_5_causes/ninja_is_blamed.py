# expect: log 2 has another cause
causes = {
    1: (2, "not on PATH"),
    2: (8, "not on PATH"),
    3: (3, "before torch"),
    4: (4, "no Python module"),
    5: (4, "two copies"),
    6: (3, "another torch"),
}
