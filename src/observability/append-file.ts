/**
 * A file that several processes append to. It is kept open while it is in use, since opening it anew for every few lines costs more than writing
 * them; each time it is seen first whether the path still names it, because another process may have renamed it, or somebody deleted it.
 */
import { dirname } from "node:path";
import { open, stat, type FileHandle } from "node:fs/promises";
import { makeFolder } from "../support/make-folder.js";

export interface AppendFile {
  /** Opens the file, or sees that the open one is still the right one. May be called early, so that `append` has nothing to wait for. */
  prepare(): Promise<void>;
  /**
   * Adds a text in one write, so that lines of several processes never mix.
   * @returns the size of the file as far as is known here, and what tells it from another of the same name
   * @throws Error when it cannot be written in full
   */
  append(text: string): Promise<{ size: number; ino: number }>;
  /** Lets go of the file; the next `append` opens it again. Never rejects. */
  close(): Promise<void>;
}

/** After so long without a line the file is let go of. */
const IDLE_FOR_MS = 1_000;

interface OpenFile {
  handle: FileHandle;
  ino: number;
  size: number;
}

/** @param mode of a file that is made anew */
export function appendFile({ path, mode }: { path: string; mode: number }): AppendFile {
  let current: OpenFile | undefined;
  let prepared: Promise<OpenFile> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let tornLine = false;

  const letGo = async (): Promise<void> => {
    const { handle } = current ?? {};
    current = undefined;
    await handle?.close().catch(() => undefined);
  };
  const close = async (): Promise<void> => {
    clearTimeout(idle);
    prepared = undefined;
    await letGo();
  };
  const openAnew = async (): Promise<OpenFile> => {
    makeFolder(dirname(path));
    const handle = await open(path, "a", mode);
    const { ino, size } = await handle.stat();
    current = { handle, ino, size };
    return current;
  };
  const look = async (): Promise<OpenFile> => {
    if (current === undefined) return openAnew();
    const named = await stat(path).catch(() => undefined);
    if (named?.ino === current.ino) {
      current.size = named.size;
      return current;
    }
    // Still prepared for: whoever asks meanwhile waits for the same file.
    await letGo();
    return openAnew();
  };
  const prepare = (): Promise<OpenFile> => {
    clearTimeout(idle);
    if (prepared !== undefined) return prepared;
    const looking = look();
    prepared = looking;
    // What failed is tried anew the next time.
    looking.catch(() => {
      if (prepared === looking) prepared = undefined;
    });
    return looking;
  };

  return {
    async prepare() {
      await prepare();
    },
    async append(text) {
      const ready = prepare();
      try {
        const file = await ready;
        const bytes = Buffer.from(tornLine ? `\n${text}` : text, "utf8");
        const { bytesWritten } = await file.handle.write(bytes);
        tornLine = bytesWritten < bytes.length;
        if (tornLine) throw new Error("no space left on device");
        file.size += bytesWritten;
        prepared = undefined;
        idle = setTimeout(() => void close(), IDLE_FOR_MS);
        idle.unref();
        return { size: file.size, ino: file.ino };
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}
