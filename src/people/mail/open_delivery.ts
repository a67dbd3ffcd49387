/**
 * The configured delivery. Loads nodemailer when it is first needed, so a gateway without mail never loads it.
 *
 * @module
 */
import type { MailConfig } from "../../config.ts";
import type { Delivery } from "./outgoing_mail.ts";

export async function openDelivery(config: MailConfig): Promise<Delivery> {
  if ("folder" in config) {
    const { createFolderDelivery } = await import("./folder_delivery.ts");
    return createFolderDelivery(config);
  }
  const { createSmtpDelivery } = await import("./smtp_delivery.ts");
  return createSmtpDelivery(config);
}
