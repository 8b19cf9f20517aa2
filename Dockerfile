# Our own server: the page under /app, the LangGraph API, the OpenAI protocol under /v1 and MCP. Threads
# live in SQLite, in the volume of .corrective-rag, or in Postgres (DATABASE_URL). It needs CRAG_API_KEYS.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc* ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY . .
RUN npm pack --silent --pack-destination /tmp && mv /tmp/corrective-rag-*.tgz /tmp/corrective-rag.tgz
# Further ones, such as the provider of a model: docker compose build --build-arg PACKAGES=@langchain/anthropic
ARG PACKAGES=""
WORKDIR /app
RUN echo '{"private":true,"type":"module"}' > package.json \
  && npm install --no-audit --no-fund /tmp/corrective-rag.tgz @langchain/core@~1.2.13 @langchain/langgraph@~1.4.18 pg@^8 \
    @qdrant/js-client-rest@~1.18.0 @modelcontextprotocol/sdk@~1.32.0 @langchain/mcp-adapters@~1.1.4 langchain@~1.5.14 \
    $PACKAGES \
  && mkdir .corrective-rag documents && touch .env

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
RUN chown node:node /app
USER node
COPY --from=build --chown=node:node /app ./

EXPOSE 2024
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=5 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:2024/ok').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "node_modules/corrective-rag/dist/cli/main.js", "serve", "--host", "0.0.0.0", "--port", "2024"]
