# syntax=docker/dockerfile:1
# What runs it, and how: docs/security.md, "In a container".

FROM node:26-slim AS built
WORKDIR /srv/switchboard
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:26-slim
# setpriv (in util-linux) lets the kernel end extensions with the server; python3 runs extensions in Python.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 util-linux \
  && rm -rf /var/lib/apt/lists/*
COPY --from=built --chown=root:root /srv/switchboard /srv/switchboard
RUN mkdir -p /srv/extensions /srv/data /srv/workspace && chown node:node /srv/extensions /srv/data /srv/workspace
WORKDIR /srv/switchboard
ENV NODE_ENV=production \
  EXTENSIONS_DIR=/srv/extensions \
  DATA_DIR=/srv/data \
  WORKSPACE_ROOT=/srv/workspace \
  EXTENSION_ENV= \
  EXTENSION_ALLOW= \
  NEXT_TELEMETRY_DISABLED=1
USER node
VOLUME ["/srv/data", "/srv/workspace"]
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# As `npm start` gives them: docs/performance.md
ENV MALLOC_MMAP_THRESHOLD_=262144
CMD ["node_modules/.bin/node", "--max-semi-space-size=8", "server.ts"]
