# expect: counts the two arguments too
reading = {
    "operators": 6,
    "relu_writes": "$3",
    "readers_of_a": ["sub", "mul"],
    "bytes_of_sub": 48,
}
