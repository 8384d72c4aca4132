# syntax=docker/dockerfile:1
# What runs it, and how: docs/security.md, "Container".

FROM node:26-slim AS packed
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /tmp \
  && npm install --global --prefix /opt/switchboard --no-audit --no-fund /tmp/switchboard-*.tgz \
  # The image has this Node already.
  && rm -rf /opt/switchboard/lib/node_modules/switchboard/node_modules/node-linux-*

FROM node:26-slim
# setpriv (in util-linux) lets the kernel end extensions with the server. python3 runs extensions in Python, python3-venv
# installs their packages; npm is in the image.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 python3-venv util-linux \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir -p /srv/extensions /srv/data /srv/workspace \
  && chown node:node /srv/extensions /srv/data /srv/workspace
COPY --from=packed --chown=root:root /opt/switchboard /opt/switchboard
WORKDIR /srv
ENV PATH=/opt/switchboard/bin:$PATH \
  EXTENSIONS_DIR=/srv/extensions \
  DATA_DIR=/srv/data \
  WORKSPACE_ROOT=/srv/workspace \
  EXTENSION_ENV= \
  EXTENSION_ALLOW= \
  LOG_FORMAT=json
USER node
VOLUME ["/srv/data", "/srv/workspace"]
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["switchboard"]
