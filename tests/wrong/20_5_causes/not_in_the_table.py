# expect: is not in the table of causes
causes = {
    1: (2, "ninja is missing"),
    2: (3, "not there any more"),
    3: (3, "before torch"),
    4: (4, "no Python module"),
    5: (4, "two copies"),
    6: (3, "another torch"),
}
