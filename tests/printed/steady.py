# SPDX-License-Identifier: MIT
"""Pseudo-random choices that are the same with every version of Python: it guarantees that of
random(), but not of its other functions."""
import random


class Steady:
    def __init__(self, seed):
        self.random = random.Random(seed).random

    def below(self, n):
        return int(self.random() * n)

    def choice(self, values):
        return values[self.below(len(values))]

    def sample(self, values, n):
        """n of the values, or all if there are fewer, in some order."""
        values = list(values)
        n = min(n, len(values))
        for i in range(n):
            j = i + self.below(len(values) - i)
            values[i], values[j] = values[j], values[i]
        return values[:n]
