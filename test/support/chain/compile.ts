/**
 * Compiles the contracts of the test chain. Running this file updates `test/fixtures/chain/contracts.json`.
 *
 * Compiling takes seconds, so tests deploy the stored result, and one test verifies that it matches the source.
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
    // Otherwise, the bytecode would depend on the name of the source.
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
