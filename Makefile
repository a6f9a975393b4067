.DEFAULT_GOAL := help
SHELL := /bin/bash
CLI := node build/dist/pipelines/cli.js
BENCH := node build/bench-dist/tests/bench/main.js
# One case alone: make bench ONLY='rank 1000'
BENCH_OPTIONS = $(if $(ONLY),--only="$(ONLY)")

# Variables of every pipeline: MIMIC_IV_DIR PROFILE WORKERS ENGINE VERSION SEED CONFIG MEMORY MIMIC_VERSION PDF_DIR LABELS_DIR
# and of models: LLM_BASE_URL LLM_MODEL LLM_ID LLM_CLASS LLM_ATTESTED_BY LLM_ATTESTED_AT LLM_KEY_ENV LLM_PRICE LLM ANSWERS_DIR MAX_CALLS MAX_TOKENS MAX_COST
OPTIONS = $(if $(MIMIC_IV_DIR),--mimic-dir "$(MIMIC_IV_DIR)") $(if $(PROFILE),--profile "$(PROFILE)") \
	$(if $(WORKERS),--workers "$(WORKERS)") $(if $(SEED),--seed "$(SEED)") $(if $(CONFIG),--config "$(CONFIG)") \
	$(if $(MEMORY),--memory "$(MEMORY)") $(if $(PDF_DIR),--pdf-dir "$(PDF_DIR)") $(if $(LABELS_DIR),--labels-dir "$(LABELS_DIR)") \
	$(if $(MIMIC_VERSION),--mimic-version "$(MIMIC_VERSION)") $(if $(JSON),--json) $(MODEL_OPTIONS)
MODEL_OPTIONS = $(if $(LLM_BASE_URL),--llm-base-url "$(LLM_BASE_URL)") $(if $(LLM_MODEL),--llm-model "$(LLM_MODEL)") \
	$(if $(LLM_ID),--llm-id "$(LLM_ID)") \
	$(if $(LLM_CLASS),--llm-class "$(LLM_CLASS)") $(if $(LLM_ATTESTED_BY),--llm-attested-by "$(LLM_ATTESTED_BY)") \
	$(if $(LLM_ATTESTED_AT),--llm-attested-at "$(LLM_ATTESTED_AT)") $(if $(LLM_KEY_ENV),--llm-key-env "$(LLM_KEY_ENV)") \
	$(if $(LLM_PRICE),--llm-price "$(LLM_PRICE)") $(if $(LLM),--llm "$(LLM)") $(if $(ANSWERS_DIR),--answers-dir "$(ANSWERS_DIR)") \
	$(if $(MAX_CALLS),--max-calls "$(MAX_CALLS)") $(if $(MAX_TOKENS),--max-tokens "$(MAX_TOKENS)") $(if $(MAX_COST),--max-cost "$(MAX_COST)")

.PHONY: help install compile build-supmimic plan-supmimic config-supmimic build-medpic plan-medpic config-medpic build-rxeval plan-rxeval config-rxeval trace impact verify diff review-export review-import test check bench bench-full format clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  variables: MIMIC_IV_DIR= PROFILE= WORKERS= ENGINE= VERSION= SEED= CONFIG= MEMORY= MIMIC_VERSION= JSON=1"
	@echo "  documents that a model drafts rules from (medpic): PDF_DIR= LABELS_DIR="
	@echo "  a model: LLM_BASE_URL= LLM_MODEL= LLM_ID= LLM_KEY_ENV= LLM_CLASS=local|attested|remote LLM_ATTESTED_BY= LLM_ATTESTED_AT= LLM=live|replay ANSWERS_DIR="
	@echo "  and its limits: MAX_CALLS= MAX_TOKENS= MAX_COST= LLM_PRICE=<in,out>"

install: node_modules/.installed

node_modules/.installed: package.json package-lock.json .npmrc
	@node -e 'const [a,b]=process.versions.node.split(".").map(Number);if(a<20||(a===20&&b<19)){console.error("Node 20.19 or newer is needed; this is "+process.version);process.exit(2)}'
	npm ci --no-audit --no-fund
	@touch $@

compile: install
	@npm run --silent compile

build-supmimic: compile ## build a SUP-MIMIC release (synthetic data, or MIMIC_IV_DIR=/path/to/mimiciv/3.1)
	@$(CLI) build supmimic $(OPTIONS) $(if $(ENGINE),--engine "$(ENGINE)") $(if $(VERSION),--release-version "$(VERSION)")

plan-supmimic: compile ## say what build-supmimic would run, and why
	@$(CLI) plan supmimic $(OPTIONS)

config-supmimic: compile ## show every config key of supmimic with its value
	@$(CLI) config supmimic $(OPTIONS)

build-medpic: compile ## build a MedPIC release from the guideline tables (and PDF_DIR=, LABELS_DIR=); a preview until people have signed it
	@$(CLI) build medpic $(OPTIONS) $(if $(VERSION),--release-version "$(VERSION)")

plan-medpic: compile ## say what build-medpic would run, and why
	@$(CLI) plan medpic $(OPTIONS)

config-medpic: compile ## show every config key of medpic with its value
	@$(CLI) config medpic $(OPTIONS)

build-rxeval: compile ## build an RxEval release (synthetic data, or MIMIC_IV_DIR=...; with LLM_BASE_URL= LLM_MODEL= a model writes and criticises)
	@$(CLI) build rxeval $(OPTIONS) $(if $(VERSION),--release-version "$(VERSION)")

plan-rxeval: compile ## say what build-rxeval would run, and why
	@$(CLI) plan rxeval $(OPTIONS)

config-rxeval: compile ## show every config key of rxeval with its value
	@$(CLI) config rxeval $(OPTIONS)

trace: compile ## walk an item back to its source: make trace ID=... [RELEASE=...] [MIMIC_IV_DIR=...] [PDF_DIR=... LABELS_DIR=...] [DOT=1]
	@$(CLI) trace "$(ID)" $(OPTIONS) $(if $(RELEASE),--release "$(RELEASE)") $(if $(DOT),--dot)

impact: compile ## what rests on a rule, a source row or a source: make impact REF=... [RELEASE=...]
	@$(CLI) impact "$(REF)" $(if $(RELEASE),--release "$(RELEASE)") $(if $(JSON),--json)

verify: compile ## recompute a release and look for leaks: make verify RELEASE=... [MIMIC_IV_DIR=...]
	@$(CLI) verify "$(RELEASE)" $(OPTIONS)

diff: compile ## compare two releases: make diff A=... B=...
	@$(CLI) diff "$(A)" "$(B)" $(if $(JSON),--json)

review-export: compile ## what is open for a reviewer: make review-export REVIEWER=... OUT=sheet.csv [WHAT=items]
	@$(CLI) review export medpic --reviewer "$(REVIEWER)" --out "$(OUT)" $(if $(WHAT),--what "$(WHAT)") $(OPTIONS)

review-import: compile ## take the decisions of a filled sheet: make review-import FILE=sheet.csv
	@$(CLI) review import "$(FILE)" $(OPTIONS)

test: compile ## run the whole test suite
	@npm run --silent test

check: compile ## types, lint, format and architecture
	@npm run --silent check

bench: compile ## product and peers in turn on the same data: one table, JSON in build/bench (under 10 minutes)
	@npx tsc -p tests/bench && $(BENCH) $(BENCH_OPTIONS)

bench-full: compile ## the same with the largest cases, 200 diagnoses x 94,000 stays and how time and memory grow (about an hour)
	@npx tsc -p tests/bench && $(BENCH) --full $(BENCH_OPTIONS)

format: install ## format the sources
	@npm run --silent format

clean: ## remove compiled code, cache and runs; releases stay
	rm -rf build/dist build/bench-dist build/cache build/runs
