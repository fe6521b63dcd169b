# spanwatch as a container. It runs as a user without rights and writes to /var/lib/spanwatch alone, so that the root
# file system can be read-only:
#
#   docker build -t spanwatch .
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges \
#     -v ./spanwatch.yaml:/etc/spanwatch/spanwatch.yaml:ro -v spanwatch-state:/var/lib/spanwatch \
#     -e SLACK_WEBHOOK_URL spanwatch
#
# The base image can be pinned, so that what was tried is what runs. `docker buildx imagetools inspect node:26-slim` prints
# its digest:
#
#   docker build --build-arg NODE_IMAGE=node:26-slim@sha256:… -t spanwatch .
#
# In spanwatch.yaml: state: /var/lib/spanwatch, and to see the page from outside
# http: { listen: "0.0.0.0:9464", token: "${SPANWATCH_TOKEN}" }.

ARG NODE_IMAGE=node:26-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund && build/assemble /opt/spanwatch

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /opt/spanwatch
COPY --from=build /opt/spanwatch .
RUN mkdir -p /etc/spanwatch /var/lib/spanwatch && chown node:node /var/lib/spanwatch && chmod 0700 /var/lib/spanwatch
USER node
VOLUME /var/lib/spanwatch
EXPOSE 9464
# The status page's own verdict: red also when nothing could be checked.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--disable-sigusr1", "bin/spanwatch.js"]
CMD ["run", "-c", "/etc/spanwatch/spanwatch.yaml"]
