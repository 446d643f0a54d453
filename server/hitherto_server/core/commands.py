"""What a shell command is for, as far as its text shows it: a check, a look, or something else."""

from __future__ import annotations

import re
from typing import Literal

Check = Literal["tests", "build", "lint", "types"]
Shown = Literal["tests", "build", "lint", "types", "run"]
"""What a command can show: that checks pass, or how something behaves that is run or asked."""
CHECKS: tuple[Check, ...] = ("tests", "build", "lint", "types")
ANYTHING: frozenset[Shown] = frozenset({*CHECKS, "run"})

MOST_LINE = 4000
QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
HERE_TEXT = re.compile(r"<<-?\s*['\"]?\w.*", re.DOTALL)
"""A text within the line: what follows it is not told apart from it."""
PIECES = re.compile(r"&&|\|\||[;|\n&]")
AROUND = re.compile(
    r"^(?:\(|\{|!|then|do|else|if|while|until"
    r"|sudo|time|nice(?:\s+-n\s*\d+)?|nohup|exec|command|builtin|xvfb-run(?:\s+-a)?"
    r"|timeout(?:\s+-\S+)*\s+\S+|env(?:\s+-\S+)*"
    r"|[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)"
    r"|(?:npx|bunx|pnpx)(?:\s+-\S+)*|(?:pnpm|yarn)\s+(?:exec|dlx)"
    r"|(?:uv|poetry|pdm|hatch|pipenv|rye|pixi)\s+run(?:\s+--?\S+)*"
    r"|bundle\s+exec|mise\s+exec\s+--"
    r"|docker(?:\s+|-)compose\s+(?:run|exec)(?:\s+-\S+)*\s+\S+"
    r"|docker\s+(?:run|exec)(?:\s+-\S+)*\s+\S+|xargs(?:\s+-\S+(?:\s+\d+)?)*"
    r"|[\w./~-]*python[\d.]*\s+(?:-[BIsuEW]\S*\s+)*-m)\s+"
)
FOLDER = re.compile(r"^[\w.~-]*(?:/[\w.~@+-]+)*/(?=\S)")
"""The folder before a program's name: `.venv/bin/pytest` is `pytest`."""

RUNNER = r"(?:npm|pnpm|yarn|bun|deno)\s+(?:--?\S+\s+)*(?:run\s+|task\s+)?"
MAKER = (
    r"(?:make|gmake|just|task|rake|ninja|composer|nx|turbo|moon)\s+(?:(?:-\S+|run)\s+)*(?:\S+\s+)*?"
)
KINDS: dict[Check, re.Pattern[str]] = {
    "tests": re.compile(
        r"(?:py\.?test|tox|nox|unittest|nose2?|nosetests|jest|vitest|mocha|ava|karma|tap|ctest"
        r"|rspec|minitest|phpunit|pest|behave|cucumber|bats|gotestsum|busted|hspec)\b"
        r"|(?:playwright|ng|bazel|bazelisk|swift|mix|sbt|lein|flutter|dart|dotnet|cabal|stack|forge"
        r"|hardhat|deno|bun|rails|artisan|buck2?|moon|zig build|xcodebuild\b.*)\s+test\b"
        r"|cypress\s+run\b|node\s+(?:\S+\s+)*--test\b|hatch\s+test\b"
        r"|go\s+test\b|cargo\s+(?:\+\S+\s+)?(?:test|nextest)\b"
        r"|(?:mvnw?|mvn)\s+(?:\S+\s+)*?(?:test|verify|integration-test)\b"
        r"|(?:gradlew?|gradle)\s+(?:\S+\s+)*?:?(?:\S*[tT]est\w*|check)\b"
        rf"|{RUNNER}(?:t|tests?|test[:\w-]*|e2e)\b"
        rf"|{MAKER}(?:tests?|spec|test[:\w-]*|check)\b"
        r"|(?:php\s+)?artisan\s+test\b|manage\.py\s+test\b|python[\d.]*\s+\S*manage\.py\s+test\b"
        r"|(?:bash|sh|zsh|python[\d.]*|node|ruby|perl)\s+\S*(?:run[_-]?tests?|test)[\w.-]*"
        r"|(?:run[_-]?)?tests?(?:\.sh|\.py|\.js)?(?:\s|$)(?<!^test\s)"
    ),
    "build": re.compile(
        r"cargo\s+(?:\+\S+\s+)?(?:build|check)\b|go\s+(?:build|install)\b|tsc\b"
        r"|(?:mvnw?|mvn)\s+(?:\S+\s+)*?(?:compile|package|install|verify)\b"
        r"|(?:gradlew?|gradle)\s+(?:\S+\s+)*?:?(?:build|assemble\w*|compile\w*)\b"
        r"|(?:vite|next|nuxt|astro|ng|webpack|rollup|esbuild|parcel|turbo|nx|bun|zig|swift|dotnet"
        r"|docker|podman|flutter|bazel|bazelisk|hugo|jekyll|mkdocs|stack|cabal|forge)\s+build\b"
        r"|webpack\b|rollup\b|cmake\s+--build\b|xcodebuild\b|msbuild\b|meson\s+compile\b|ninja\b"
        r"|(?:gcc|g\+\+|clang|clang\+\+|javac|rustc|kotlinc|scalac)\s|mix\s+compile\b|sbt\s+compile\b"
        rf"|{RUNNER}(?:build|compile)[:\w-]*\b|{MAKER}(?:build|all|compile)[:\w-]*\b"
        r"|make(?:\s+-\S+)*\s*$|python[\d.]*\s+-m\s+build\b|build\s*$"
    ),
    "lint": re.compile(
        r"(?:eslint|ruff|flake8|pylint|pycodestyle|rubocop|golangci-lint|staticcheck|stylelint"
        r"|shellcheck|hadolint|biome|oxlint|ktlint|detekt|swiftlint|standardrb?|clang-tidy|credo"
        r"|pre-commit|markdownlint\S*|yamllint|semgrep|bandit|phpcs|phpstan)\b|[\w-]*lint\b"
        r"|(?:flutter|dart)\s+analyze\b|(?:terraform|tofu)\s+(?:-\S+\s+)*(?:validate|fmt)\b"
        r"|(?:black|prettier|isort|rustfmt|gofmt|dprint)\b|cargo\s+(?:clippy|fmt)\b|go\s+vet\b"
        rf"|(?:next|ng|nx|turbo)\s+lint\b|{RUNNER}(?:lint|format)[:\w-]*\b|{MAKER}lint[:\w-]*\b"
    ),
    "types": re.compile(
        r"(?:mypy|dmypy|pyright|basedpyright|pytype|pyre|ty|vue-tsc|flow|sorbet|srb|dialyzer)\b"
        rf"|tsc\b|{RUNNER}(?:type-?check|types?|tsc|check-types)[:\w-]*\b"
        rf"|{MAKER}(?:types?|type-?check|mypy)\b"
    ),
}
LOOKS = re.compile(
    r"(?:ls|ll|cat|bat|head|tail|less|more|grep|egrep|rg|ag|ack|fd|tree|wc|stat|file|du|df|pwd"
    r"|which|whereis|type|whoami|uname|hostname|date|env|printenv|sort|uniq|cut|tr|nl|tac|diff|cmp"
    r"|jq|yq|xxd|hexdump|basename|dirname|realpath|readlink|ps|id|history|column|echo|printf|cd"
    r"|pushd|popd|true|false|test|\[|:|sleep|wait|fi|done|esac)(?:\s|$)"
    r"|\S+\s+(?:-[vV]|--version|version)\s*$"
    r"|find\b(?!.*\s-(?:exec|ok|delete))|sed\s+-n\b|awk\b|git\s+(?:-\S+\s+\S+\s+)?(?:status|log|diff|show|blame|branch|remote|rev-parse"
    r"|ls-files|grep|describe|shortlog|reflog|config\s+--get)\b"
)
"""What only looks: its output is somebody's file, not a result."""
HARMLESS = re.compile(
    r"(?:mkdir|mv|cp|rm|touch|chmod|chown|ln|sed|tee|export|source|\.|unset|set|alias|tar|unzip|zip"
    r"|kill|open|code|clear)(?:\s|$)"
    r"|git\s+(?:add|checkout|switch|stash|restore|reset|fetch|pull|clone|init|tag|worktree|mv|rm)\b"
    r"|(?:npm|pnpm|yarn|bun)\s+(?:install|i|ci|add|remove|uninstall)\b|yarn\s*$"
    r"|(?:pip3?|uv|poetry|pdm|conda|brew|apt(?:-get)?|gem|bundle|cargo|composer)\s+(?:pip\s+)?"
    r"(?:install|add|sync|lock|remove|uninstall|update)\b"
)
"""What changes something and checks nothing."""
COMPILED = re.compile(
    r"(?:go|cargo|mvnw?|gradlew?|dotnet|swift|xcodebuild|sbt|mix|flutter|stack|cabal|zig|forge)\s"
)
"""Whose tests are built before they run."""
RUN = re.compile(r"^\w+\s+run\b")
TESTS_TOO = re.compile(
    r"(?:gradlew?)\s+(?:\S+\s+)*?:?build\b|mvnw?\s+(?:\S+\s+)*?(?:package|install|deploy)\b"
    r"|g?make(?:\s+-\S+)*(?:\s+all\b|\s*$)"
)
"""Builds that may run the tests on their way."""
RUNS = re.compile(
    r"(?:curl|wget|https?|xh|grpcurl|ab|hey|wrk|psql|mysql\w*|mariadb|sqlite3|redis-cli|mongosh?|sqlcmd|cqlsh|bq"
    r"|pg_\w+|duckdb|clickhouse-client|kubectl|helm\w*|kustomize|argocd|istioctl|terraform|tofu"
    r"|terragrunt|pulumi|cdk|aws|gcloud|gsutil|az|doctl|gh|glab|git|svn|hg|docker|docker-compose"
    r"|podman|ansible\S*|systemctl|journalctl|service|supervisorctl|pm2|alembic|flyway|liquibase"
    r"|migrate|adb|xcrun|dig|nslookup|host|ping|openssl|nc|telnet|lsof|ss|netstat|nginx|apachectl"
    r"|scp|rsync|crontab|vault|consul|vercel|netlify|flyctl|fly|heroku|firebase|wrangler|rclone"
    r"|protoc|buf|sqlc|(?:npm|pnpm|yarn)\s+(?:publish|pack|audit|view|ls|list|outdated|version|why)"
    r"|pip3?\s+(?:list|show|freeze|download)|apt-cache|dpkg|rpm|zgrep|zcat|strings|sha\d+sum"
    r"|md5sum|nm|otool|ldd|objdump|tcpdump|top|free|dmesg|sensors|ip|ifconfig)(?:\s|$)"
    r"|(?:python[\d.]*|node|ruby|perl|php)\s+-[cer]\b"
    r"|(?:python[\d.]*\s+)?\S*manage\.py\s|(?:php\s+)?artisan\s|(?:bin/)?rails\s+(?!test)"
    rf"|(?:{RUNNER}|{MAKER})(?:dev|start|serve|preview|watch|seed|migrat\w*|generate|codegen|gen"
    r"|storybook|deploy|release|clean|up|down|logs?|install|fmt|format|docs?)(?![\w-])"
)
"""What runs or asks something, and checks no code."""
REHEARSES = re.compile(
    r"\s--?(?:dry[-_]?run\S*|check|noop|simulate|what-?if|preview|plan-only|no-act)\b"
    r"|^(?:terraform|tofu|terragrunt|pulumi)\s+(?:-\S+\s+)*(?:plan|preview|validate|init)\b"
    r"|^helm\s+(?:template|lint|diff)\b|^(?:cdk|argocd app|kubectl)\s+diff\b"
)
"""What would be done is told, and nothing is done."""


def simple_commands(line: str) -> list[str]:
    """Return the commands of a shell line, each without what stands before its own name."""
    plain = QUOTED.sub("''", HERE_TEXT.sub("", line[:MOST_LINE]))
    found = (_bare(piece.strip()) for piece in PIECES.split(plain))
    return [one for one in found if one]


def checks_of(line: str) -> frozenset[Check]:
    """Return what a line checks, as far as that is sure."""
    return frozenset[Check]().union(*map(_checks_of, simple_commands(line)))


def ends_with_check(line: str) -> bool:
    """Tell whether a line's last command is its only check: then the exit code is that one's."""
    pieces = simple_commands(line)
    checking = [at for at, one in enumerate(pieces) if any(KINDS[k].match(one) for k in CHECKS)]
    return checking == [len(pieces) - 1]


def only_looks(line: str) -> bool:
    """Tell whether a line does nothing but look: what it prints is no result of its own."""
    pieces = simple_commands(line)
    return bool(pieces) and all(LOOKS.match(piece) for piece in pieces)


def checks_nothing(line: str) -> bool:
    """Tell whether a line surely checks nothing; what is unknown may be somebody's test script."""
    if HERE_TEXT.search(line):
        return False
    return all(LOOKS.match(piece) or HARMLESS.match(piece) for piece in simple_commands(line))


def may_show(line: str) -> frozenset[Shown]:
    """Return all that a line could show; what is unknown may be somebody's script for anything."""
    if HERE_TEXT.search(line):
        return ANYTHING
    return frozenset[Shown]().union(*map(_shown_by, simple_commands(line)))


def only_rehearses(line: str) -> bool:
    """Tell whether a line does nothing beyond files: it looks, checks, or only rehearses."""
    pieces = simple_commands(line)
    return all(
        LOOKS.match(one) or HARMLESS.match(one) or REHEARSES.search(one) or _checks_of(one)
        for one in pieces
    )


def _checks_of(piece: str) -> frozenset[Check]:
    return frozenset(kind for kind in CHECKS if KINDS[kind].match(piece))


def _shown_by(piece: str) -> frozenset[Shown]:
    kinds = _checks_of(piece)
    if TESTS_TOO.match(piece):
        return ANYTHING
    if "tests" in kinds:
        return kinds | ({"run", "build", "types"} if COMPILED.match(piece) else {"run"})
    if kinds:
        return kinds | ({"types"} if "build" in kinds else frozenset())
    if LOOKS.match(piece) or HARMLESS.match(piece):
        return frozenset()
    if COMPILED.match(piece) and RUN.search(piece):
        return frozenset({"run", "build", "types"})
    return frozenset({"run"}) if RUNS.match(piece) else ANYTHING


def _bare(piece: str) -> str:
    before = ""
    while before != piece:
        before, piece = piece, FOLDER.sub("", AROUND.sub("", piece)).strip()
    return piece
