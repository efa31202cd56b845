# expect: log 5 has another cause
causes = {
    1: (2, "not on PATH"),
    2: (3, "not there any more"),
    3: (3, "before torch"),
    4: (4, "no Python module"),
    5: (4, "another torch"),
    6: (3, "another torch"),
}
