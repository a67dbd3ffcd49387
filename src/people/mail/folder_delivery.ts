/**
 * Delivery into a folder, for the demo: each mail becomes an `.eml` file, which mail programs open. The names sort by
 * time.
 *
 * @module
 */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import type { MailFolderConfig } from "../../config.ts";
import { messageOf } from "../../lib/error_fields.ts";
import { mimeMessage } from "./mime_message.ts";
import { type Delivery, DeliveryError } from "./outgoing_mail.ts";

/** Only the owner may read codes. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export function createFolderDelivery({ folder, from }: MailFolderConfig): Delivery {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  return {
    async deliver(mail) {
      const { message } = await transport.sendMail(mimeMessage(from, mail));
      const time = new Date().toISOString().replace(/[:.]/g, "-");
      const path = join(folder, `${time}-${mail.mailId}.eml`);
      try {
        await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
        // Complete as soon as it has its name.
        await writeFile(`${path}.part`, message as Buffer, { mode: FILE_MODE });
        await rename(`${path}.part`, path);
      } catch (error) {
        const sentence = `the message can't be written: ${messageOf(error)}`;
        throw new DeliveryError(sentence, { isPermanent: false, cause: error });
      }
      return `kept in ${path}`;
    },
  };
}
