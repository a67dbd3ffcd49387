/**
 * Loaded before the tests (`bunfig.toml`): ends what they share when the run ends.
 *
 * @module
 */
import { afterAll } from "bun:test";
import { stopTestServer } from "./database.ts";

afterAll(stopTestServer);
