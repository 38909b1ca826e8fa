# docker build .                  with Codex and Claude Code (target agents)
# docker build --target plain .   without agents
# Images are pinned by digest. Dependabot proposes the digest of each new image.

# Leaves only the files that decide what `npm ci` installs.
FROM node:22-bookworm@sha256:db06b62399bc4780e3f44aa0ce27e1678145cf0b16354508b8d83e72f5b9dd83 AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete \
  && find . -type d -empty -delete

FROM node:22-bookworm@sha256:db06b62399bc4780e3f44aa0ce27e1678145cf0b16354508b8d83e72f5b9dd83 AS build
WORKDIR /app
# Docker reuses the layer of `npm ci` until a manifest changes.
COPY --from=manifests /app ./
# Node 22 needs no install script: the packages of its SQLite contain the compiled library.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22-bookworm-slim@sha256:48e4b67d85f87bd551df43704e24d252f56cc5f8e9718841aace50f19948f0f9 AS plain
# Debian packages that the tests of your repositories need, such as "python3 make g++".
ARG PACKAGES=""
# Docker gives a new volume the owner and the mode of the directory at its mount point.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git $PACKAGES \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 700 /data /data/.claude /data/.codex /data/spool \
  && ln -s /app/apps/cli/bin/mergexo.js /usr/local/bin/mergexo
WORKDIR /app
# They belong to root: what runs cannot change its own programs.
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/package.json /app/docker-compose.yml /app/.env.example /app/THIRD_PARTY_LICENSES.md ./
COPY --from=build /app/packaging/container ./packaging/container
COPY --from=build /app/packages ./packages
COPY --from=build /app/apps ./apps
USER node
# base_dir of mergexo.toml must be /data/… or left at its default, which is below HOME.
ENV HOME=/data CLAUDE_CONFIG_DIR=/data/.claude NODE_ENV=production
ENTRYPOINT ["/app/packaging/container/entrypoint.sh"]
CMD ["--help"]

FROM plain AS agents
# npm packages of the agents, in the versions that MergeXO's tests use. They belong to root too.
ARG AGENTS="@openai/codex@0.166.0 @anthropic-ai/claude-code@2.1.325"
USER root
RUN HOME=/root npm install --global --no-audit --no-fund $AGENTS && rm -rf /root/.npm
USER node
