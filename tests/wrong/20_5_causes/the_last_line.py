# expect: line 9 does not say it
causes = {
    1: (9, "not on PATH"),
    2: (3, "not there any more"),
    3: (3, "before torch"),
    4: (4, "no Python module"),
    5: (4, "two copies"),
    6: (3, "another torch"),
}
