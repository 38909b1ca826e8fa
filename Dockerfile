FROM node:22-bookworm AS build
WORKDIR /app
COPY . .
RUN npm ci && npm prune --omit=dev

FROM node:22-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/* \
  && mkdir /data && chown node:node /data && chmod 700 /data
WORKDIR /app
COPY --from=build --chown=node:node /app .
USER node
# base_dir of mergexo.toml must be /data/… or left at its default, which is below HOME.
ENV HOME=/data NODE_ENV=production
ENTRYPOINT ["node"]
