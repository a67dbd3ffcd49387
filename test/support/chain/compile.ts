/**
 * Compiles the contracts of the test chain. Running this file writes `test/fixtures/chain/contracts.json` anew.
 *
 * The compiler takes seconds, so tests deploy what it made, and one test holds that it is what the source says.
 *
 * @module
 */
import solc from "solc";

interface Compiled {
  readonly abi: readonly unknown[];
  readonly bytecode: `0x${string}`;
}

const SOURCE = new URL("test_dollar.sol", import.meta.url);
export const CONTRACTS = new URL("../../fixtures/chain/contracts.json", import.meta.url);

export async function compileContracts(): Promise<Record<string, Compiled>> {
  const settings = {
    optimizer: { enabled: true },
    evmVersion: "cancun",
    // Else the bytecode would say how the source was called.
    metadata: { bytecodeHash: "none" },
    outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
  };
  const sources = { "test_dollar.sol": { content: await Bun.file(SOURCE).text() } };
  const asked = { language: "Solidity", sources, settings };
  const made = JSON.parse(solc.compile(JSON.stringify(asked)));
  if (made.errors !== undefined) throw new Error(JSON.stringify(made.errors));
  const contracts: Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }> =
    made.contracts["test_dollar.sol"];
  return Object.fromEntries(
    Object.entries(contracts).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` as const },
    ]),
  );
}

if (import.meta.main) {
  await Bun.write(CONTRACTS, `${JSON.stringify(await compileContracts(), null, 2)}\n`);
}
