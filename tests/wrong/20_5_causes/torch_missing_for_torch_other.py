# expect: log 3 has another cause
causes = {
    1: (2, "not on PATH"),
    2: (3, "not there any more"),
    3: (3, "another torch"),
    4: (4, "no Python module"),
    5: (4, "two copies"),
    6: (3, "another torch"),
}
