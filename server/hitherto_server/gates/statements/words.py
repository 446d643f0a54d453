"""The word lists of the slot check: one group a line; what is missing here is just a word."""

from __future__ import annotations

NEGATORS = """
not never no none nobody nothing neither nor cannot without avoid stop cease nicht kein keine
keinen keiner keines keinem nie niemals niemand ohne ne pas jamais aucun aucune sans nunca
jamas tampoco ningun ninguna
"""
FUNCTION_WORDS = """
a an the this that these those it its itself they them their we our us you your he she his her
i my me be am is are was were been being do does did done have has had having will would shall
should must set may might can could need to of in on at by for from with within into onto as and
or but so if then than when while because since until till about against between through
during via per there here also just only even still already again now always very too both
either each every all any some most more other others such same own which who whom whose what
why how where otherwise however please get gets got getting let up out off over under before
after above below instead rather well yet insteadof once longer used
der die das den dem des ein eine
einen einem einer und oder ist sind wird werden mit auf im zu von bei fur unser unsere alle le
la les un une du de et ou est sont dans sur avec pour tous toutes el los las una y o es son en
con para por todos
"""
LOCATING = """
write written store keep kept live lives run runs deploy build built send sent serve host save
cache rewrite ship track log logs put read load made come comes happen publish schedule done
handle kick begin start listen sign hash
"""
PLACES = """
staging production prod preview sandbox ios android windows linux macos
"""
SAME = """
keep kept live locate store save hold held retain persist
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
make made
take took taken
give gave given
meet met
lose lost
find found
tell told
bring brought
maximum max
minimum min
request req
choose chose chosen pick select
concise short brief
prefer like want
directly straight
edit modify alter
aws amazon
raise throw
"""
OPPOSITE = """
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
hashed plaintext
light dark
allowlist denylist
erlaubt verboten
aktiviert deaktiviert
"""
ALTERNATIVES = """
postgres mysql mariadb sqlite oracle mongodb dynamodb cassandra cockroachdb redis memcached
valkey elasticsearch opensearch meilisearch typesense duckdb clickhouse snowflake bigquery
redshift

go rust python java kotlin swift javascript typescript c c++ c# elixir erlang ruby php scala
haskell zig dart perl lua clojure ocaml julia

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

linear exponential constant quadratic

info warn warning error debug trace
"""
CONTRASTS = """
staging production development test testing qa ci preview local sandbox
ios android windows linux macos web desktop mobile
primary replica leader follower
frontend backend
upload download
import export
request response
read write
get post put patch delete
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
