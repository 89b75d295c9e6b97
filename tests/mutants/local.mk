# SPDX-License-Identifier: MIT
# Which changes of the code no test notices: make mutants [MUTANTS=60] [SEED=1]
# [MUTANT_MINUTES=0]. What was tried is kept: a run that was ended goes on where it was.
MUTANTS = 60
SEED = 1
MUTANT_MINUTES = 0
mutants: all
	@$(AM_TESTS_ENVIRONMENT) nice /usr/bin/python3 '$(srcdir)/tests/mutants/mutants.py' --count '$(MUTANTS)' \
		--seed '$(SEED)' --minutes '$(MUTANT_MINUTES)'
# What the copy of the tree needs besides the unit tests of the changed files.
mutants-build: all $(check_DATA) \
	$(foreach program,$(filter-out tests/fuzz/% tests/bench/%,$(check_PROGRAMS)),$(if $(findstring /test_,$(program)),,$(program)))
.PHONY: mutants mutants-build
TESTS += tests/mutants/test_switch.py
EXTRA_DIST += tests/mutants/mutants.py tests/mutants/places.py tests/mutants/switch.py tests/mutants/mutant.h tests/mutants/test_switch.py tests/mutants/equivalent
