import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounts a disk of so many megabytes over an empty folder. */
export function mountDisk(folder: string, megabytes: number): void {
  const options = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
  execFileSync("mount", options, { stdio: "ignore" });
}

export function unmountDisk(folder: string): void {
  execFileSync("umount", ["-l", folder], { stdio: "ignore" });
}

/** True where this process may mount a disk, as root usually may. */
export const mayMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "mount-"));
  try {
    mountDisk(folder, 1);
    unmountDisk(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
})();
