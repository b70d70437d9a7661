# What people run while they work. `make ci` is what has to pass.

PAIRS    ?= 20000000
FUZZTIME ?= 20s
COUNT    ?= 10
KILLS    ?= 5200
E2E      ?= .

.PHONY: build test lint bench soak fuzz crash e2e ci

build: ## bin/policyctl
	go build -o bin/policyctl ./cmd/policyctl

test: ## all tests
	go test ./...

lint: ## formatting, go vet, golangci-lint
	.ci/run gofmt vet lint

bench: ## all benchmarks, COUNT times, summarised
	@mkdir -p bin
	go test -run '^$$' -bench . -count $(COUNT) ./internal/bench | tee bin/bench.out
	go -C tools tool benchstat $(CURDIR)/bin/bench.out

soak: ## table against reference on PAIRS random pairs
	go test ./internal/reference -run '^TestDifferential$$' -pairs $(PAIRS) -timeout 0 -v

fuzz: ## every fuzz test for FUZZTIME
	FUZZTIME=$(FUZZTIME) .ci/run fuzz

crash: ## kills KILLS processes, full races, outages; needs PostgreSQL
	go test ./internal/crash -count 1 -timeout 0 -v \
		-kills $(KILLS) -answerers 32 -approvals 1000 -writers 64 -outages 30

e2e: ## policyctl hook in the real agent CLIs, from npm; E2E=TestClaude for one
	e2e/install bin/e2e
	PLANGATE_E2E=$(CURDIR)/bin/e2e go test ./e2e -run '$(E2E)' -count 1 -timeout 15m -v

ci: ## everything
	.ci/run
