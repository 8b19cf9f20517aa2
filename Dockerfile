# Our own server: the LangGraph API with Studio's endpoints, and the page under /app. Threads live in memory and in a file: for one person or a
# small team behind a proxy. For the server with Postgres and Redis see docs/qdrant.md.
FROM node:20-bookworm-slim

ENV NODE_ENV=development LANGGRAPH_CLI_NO_ANALYTICS=1
WORKDIR /app
RUN chown node:node /app
USER node

COPY --chown=node:node package.json package-lock.json ./
RUN npm ci --no-audit --no-fund && npm cache clean --force
COPY --chown=node:node . .
RUN mkdir -p .corrective-rag .langgraph_api documents && touch .env

EXPOSE 2024
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=5 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:2024/ok').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--import", "tsx", "src/cli/main.ts", "dev", "--host", "0.0.0.0", "--port", "2024", "--no-reload"]
