from collections import Counter


def most_used(words, most):
    return [{"word": word, "times": times} for word, times in Counter(words).most_common(most)]
