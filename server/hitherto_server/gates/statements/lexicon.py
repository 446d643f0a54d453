"""Words that decide whether two statements say the same: plain lists, by stem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.recall.stem import stem

if TYPE_CHECKING:
    from collections.abc import Iterator

NEGATORS = frozenset(
    "not never no none nobody nothing neither nor cannot without avoid stop cease"
    " nicht kein keine keinen keiner keines keinem nie niemals niemand ohne"
    " ne pas jamais aucun aucune sans nunca jamas tampoco ningun ninguna".split()
)
"""In English, German, French and Spanish; the contraction n't is read apart."""

FUNCTION = frozenset(
    "a an the this that these those it its itself they them their we our us you your he she his her"
    " i my me be am is are was were been being do does did done have has had having will would shall"
    " should must may might can could need to of in on at by for from with within into onto as and or"
    " but so if then than when while because since until till about against between through during"
    " via per there here also just only even still already again now always very too both either each"
    " every all any some most more other others such same own which who whom whose what why how where"
    " otherwise however please get gets got getting let up out off over under before after above"
    " below instead rather per as well yet once longer used"
    " der die das den dem des ein eine einen einem einer und oder ist sind wird werden mit auf im"
    " in zu von bei fur unser unsere alle"
    " le la les un une des du de et ou est sont dans sur avec pour tous toutes"
    " el los las una y o es son en con para por todos".split()
)
"""Words that carry no slot; negators and what marks a change are looked at apart."""

SCOPE_BEFORE = frozenset("for of during when while within if until unless fur pour para".split())
PLACE_BEFORE = frozenset("in on at by im dans en".split())
VALUE_BEFORE = frozenset("to from with via through into as is are be was were".split())
LOCATING = frozenset(
    stem(word)
    for word in "write written store keep kept live lives run runs deploy build built send sent serve"
    " host save cache rewrite ship track log logs put read load made come comes happen publish"
    " schedule done handle kick begin start listen sign hash".split()
)
"""What is said after these with `in` or `on` is the value, not where the statement holds."""
CHANGING = frozenset(
    stem(word)
    for word in "move moved migrate migrated switch switched change changed port ported away".split()
)
OWNING = frozenset(
    stem(word) for word in "own owns call lead leads maintain responsible charge".split()
)
REPLACING = frozenset(stem(word) for word in "replace replaced replaces supersede".split())
GONE = frozenset("gone dropped removed retired discontinued abandoned".split())

_SAME = """
keep kept store save hold held retain persist
need require must
drop remove delete discard purge
begin start
fetch load read
end finish
fail error
folder directory dir
repository repo
configuration config setting
database db
environment env
production prod
development dev
documentation docs doc
argument parameter param
kubernetes k8s
javascript js
typescript ts
python py
postgres postgresql
normal ordinary
big large
quick fast
time-out timeout
hit reach
hand handle
expire valid
allocate malloc
email e-mail mail
connect connection
everybody everyone somebody anybody
call invoke
allow permit
message notification
add adding added
build built
send sent
run ran
forbid forbidden
write written wrote
choose chose chosen
make made
take took taken
give gave given
meet met
lose lost
find found
tell told
bring brought
mutable mutability
"""
_OPPOSITE = """
enable disable
allow deny
allow forbid
allow prohibit
allow block
accept reject
accept refuse
require optional
mandatory optional
need optional
open closed
open close
public private
synchronous asynchronous
sync async
synchronously asynchronously
safe unsafe
safe dangerous
opt-in opt-out
high low
on off
up down
include exclude
strict lenient
strict loose
manual automatic
manually automatically
eager lazy
ascending descending
increase decrease
raise lower
internal external
present absent
succeed fail
pass fail
visible hidden
show hide
dynamic static
stateful stateless
add remove
start stop
keep drop
keep discard
grow shrink
fine forbidden
true false
online offline
lossless lossy
blocking non-blocking
cheap expensive
slow fast
plain encrypted
always sometimes
everything nothing
all none
first last
whitelist blacklist
allowlist denylist
erlaubt verboten
aktiviert deaktiviert
"""
_ALTERNATIVES = """
postgres mysql mariadb sqlite oracle mongodb dynamodb cassandra cockroachdb redis memcached valkey elasticsearch opensearch meilisearch typesense duckdb clickhouse snowflake bigquery redshift
go rust python java kotlin swift javascript typescript c c++ c# elixir erlang ruby php scala haskell zig dart perl lua clojure ocaml julia
npm yarn pnpm bun pip poetry uv conda cargo maven gradle bazel make cmake meson ninja just
jenkins github gitlab circleci travis buildkite teamcity drone argo woodpecker azure
ruff flake8 pylint black isort eslint prettier biome
pytest unittest nose jest vitest mocha jasmine cypress playwright selenium
react vue svelte angular solid ember
redux zustand mobx jotai recoil vuex pinia
django flask fastapi starlette express koa rails spring laravel
aws gcp azure hetzner ovh digitalocean
s3 gcs minio ceph
docker podman buildah kaniko
kubernetes nomad swarm ecs
kafka rabbitmq nats sqs pulsar kinesis celery sidekiq
splunk loki datadog graylog
prometheus influxdb graphite victoriametrics
okta keycloak auth0 cognito
stripe adyen braintree paypal mollie
airflow dagster prefect luigi
mlflow wandb neptune comet
setuptools hatchling flit poetry
json yaml toml xml ini csv parquet avro protobuf msgpack
rest graphql grpc soap
http https tcp udp quic websocket
hs256 rs256 es256 eddsa
rsa ecdsa ed25519
md5 sha1 sha256 bcrypt argon2id scrypt pbkdf2
gcc clang msvc
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
second minute hour day night week month quarter year
english german french spanish italian japanese chinese
tab space
notion confluence github jira linear trello wiki slack teams
nginx caddy traefik haproxy envoy apache
ubuntu debian alpine fedora centos
terraform pulumi ansible cloudformation
webpack vite rollup esbuild parcel turbopack
main master stable develop trunk release
markdown restructuredtext asciidoc
merge squash rebase
utc cet est pst gmt
"""
_CONTRASTS = """
staging production development test testing qa ci preview local sandbox
ios android windows linux macos web desktop mobile
primary replica leader follower
frontend backend
upload download
import export
request response
read write
client server
receive transmit send
eu us uk apac
admin guest user
access refresh
login sign-up logout
liveness readiness startup
input output
source target
nightly daily weekly
debug release
buyer seller
parent child
minimum maximum
"""


def _groups(text: str) -> list[list[str]]:
    return [[stem(word) for word in line.split()] for line in text.strip().splitlines()]


CANONICAL = {word: group[0] for group in _groups(_SAME) for word in group}


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _groups(_OPPOSITE):
        one, other = (CANONICAL.get(word, word) for word in pair)
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES = _opposites()


def _classes(text: str) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(_groups(text)):
        for word in group:
            found.setdefault(CANONICAL.get(word, word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


ALTERNATIVES = _classes(_ALTERNATIVES)
CONTRASTS = _classes(_CONTRASTS)
NOTHING: frozenset[int] = frozenset()

SHORTEST_DENIED = 4
"""Shorter words are the end of others by chance."""
_PREFIXES = ("un", "in", "im", "non", "non-", "dis", "de", "a", "ir")
_NO_OPPOSITE = frozenset(("form", "put", "side", "stall", "sert", "stance", "crease", "dex", "to"))


def are_alternatives(one: str, other: str) -> bool:
    """Tell whether one could stand where the other stands, as a value of the same thing."""
    return bool(ALTERNATIVES.get(one, NOTHING) & ALTERNATIVES.get(other, NOTHING))


def are_contrasted(one: str, other: str) -> bool:
    """Tell whether the two name different places, sides or roles of which both exist."""
    return bool(CONTRASTS.get(one, NOTHING) & CONTRASTS.get(other, NOTHING))


def without_prefix(word: str) -> Iterator[str]:
    """Return what a word would deny, were its beginning a prefix that denies."""
    for prefix in _PREFIXES:
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= SHORTEST_DENIED and rest not in _NO_OPPOSITE:
            yield rest
