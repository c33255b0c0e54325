#!/bin/sh
# Starts server and client with reload on change.
set -eu

start_server() {
    (cd server && mvn -q compile exec:java)
}

start_client() {
    (cd web && npm run watch)
}

start_server &
start_client
