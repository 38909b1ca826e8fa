# docker compose build, or: docker build --build-arg AGENTS=@openai/codex .
# Images are pinned by digest. Dependabot proposes the digest of each new image.
FROM node:22-bookworm@sha256:db06b62399bc4780e3f44aa0ce27e1678145cf0b16354508b8d83e72f5b9dd83 AS build
WORKDIR /app
COPY . .
RUN npm ci && npm prune --omit=dev

FROM node:22-bookworm-slim@sha256:48e4b67d85f87bd551df43704e24d252f56cc5f8e9718841aace50f19948f0f9
# npm packages of the agents that the workers start: "@openai/codex @anthropic-ai/claude-code". None unless said; with a
# version (@openai/codex@<version>) the build can be repeated.
ARG AGENTS=""
# Debian packages that the tests of your repositories need, such as "python3 make g++".
ARG PACKAGES=""
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git $PACKAGES \
  && rm -rf /var/lib/apt/lists/* \
  && if [ -n "$AGENTS" ]; then npm install --global $AGENTS && npm cache clean --force; fi \
  && mkdir /data && chown node:node /data && chmod 700 /data
WORKDIR /app
# They belong to root: what runs cannot change its own programs.
COPY --from=build /app/package.json ./
COPY --from=build /app/THIRD_PARTY_LICENSES.md ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/apps ./apps
USER node
# base_dir of mergexo.toml must be /data/… or left at its default, which is below HOME.
ENV HOME=/data NODE_ENV=production
ENTRYPOINT ["node"]
CMD ["apps/cli/bin/mergexo.js", "--help"]
