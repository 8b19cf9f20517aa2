# Our own server: the LangGraph API with Studio's endpoints, the OpenAI protocol under /v1, and the
# page under /app. Threads live in memory and in a file: for one person or a small team.
FROM node:20-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc* ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY . .
RUN npm pack --silent --pack-destination /tmp && mv /tmp/corrective-rag-*.tgz /tmp/corrective-rag.tgz

FROM node:20-bookworm-slim
ENV NODE_ENV=production LANGGRAPH_CLI_NO_ANALYTICS=1
WORKDIR /app
RUN chown node:node /app
USER node
COPY --from=build --chown=node:node /tmp/corrective-rag.tgz ./
RUN echo '{"private":true,"type":"module"}' > package.json \
  && npm install --no-audit --no-fund ./corrective-rag.tgz @langchain/core@~1.2.13 @langchain/langgraph@~1.4.18 @langchain/langgraph-cli@~1.5.1 \
  && npm cache clean --force && rm corrective-rag.tgz
RUN mkdir -p .corrective-rag documents && touch .env

EXPOSE 2024
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=5 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:2024/ok').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["npx", "corrective-rag", "dev", "--host", "0.0.0.0", "--port", "2024", "--no-reload"]
