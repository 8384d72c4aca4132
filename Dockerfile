# syntax=docker/dockerfile:1
# What runs it, and how: docs/security.md, "Container".

FROM node:26-slim AS packed
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /tmp \
  && npm install --global --prefix /opt/switchboard --no-audit --no-fund /tmp/switchboard-*.tgz \
  # The image has the Node of this stage, without headers.
  && rm -rf /opt/switchboard/lib/node_modules/switchboard/node_modules/node-linux-*

FROM debian:13-slim
# libatomic1 is for Node. setpriv (in util-linux) lets the kernel end extensions with the server. python3 runs extensions in
# Python; python3-venv and npm install what extensions declare.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates libatomic1 python3 python3-venv util-linux \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --create-home switchboard \
  && mkdir -p /srv/extensions /srv/data /srv/workspace \
  && chown switchboard:switchboard /srv/extensions /srv/data /srv/workspace
COPY --from=packed /usr/local/bin/node /usr/local/bin/node
COPY --from=packed /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
COPY --from=packed --chown=root:root /opt/switchboard /opt/switchboard
WORKDIR /srv
ENV PATH=/opt/switchboard/bin:$PATH \
  EXTENSIONS_DIR=/srv/extensions \
  DATA_DIR=/srv/data \
  WORKSPACE_ROOT=/srv/workspace \
  EXTENSION_ENV= \
  EXTENSION_ALLOW= \
  LOG_FORMAT=json
USER switchboard
VOLUME ["/srv/data", "/srv/workspace"]
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["switchboard"]
