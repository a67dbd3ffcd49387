/**
 * Environment variables for the commands of agents and providers. A gateway reads neither of them.
 *
 * @module
 */

/** Address of the gateway. */
export const URL_VARIABLE = "FEEDGATE_URL";
/** Read or write key. */
export const KEY_VARIABLE = "FEEDGATE_KEY";
