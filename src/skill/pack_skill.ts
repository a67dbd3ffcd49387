/**
 * Packs a skill's folder into one file: `<name>/SKILL.md`, with `references/schema.json` and `references/sample.json`
 * beside it.
 *
 * @module
 */
import { zipSync } from "fflate";
import { unreachable } from "../lib/assert.ts";
import type { Skill } from "./render_skill.ts";

export type ArchiveFormat = "zip" | "tar.gz";

/** The earliest time of a zip file. It is constant, so that an archive depends only on its content. */
const ZIP_TIME = "1980-01-02T00:00:00Z";
const ZIP_LEVEL = 6;

export function packSkill(skill: Skill, format: ArchiveFormat): Promise<Uint8Array<ArrayBuffer>> {
  const files = {
    [`${skill.name}/SKILL.md`]: Buffer.from(skill.markdown),
    [`${skill.name}/references/schema.json`]: Buffer.from(skill.schema),
    [`${skill.name}/references/sample.json`]: Buffer.from(skill.sample),
  };
  switch (format) {
    case "zip":
      return Promise.resolve(zipSync(files, { level: ZIP_LEVEL, mtime: ZIP_TIME }));
    case "tar.gz":
      return new Bun.Archive(files, { compress: "gzip" }).bytes();
    default:
      return unreachable(format);
  }
}
