import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'
import { z } from 'zod'

const folder = new URL('../../anvil/', import.meta.url)
export const source = readFileSync(new URL('bridge.sol', folder), 'utf8')

const contract = z.object({
  // The compiler's own output; viem reads it by its names.
  abi: z.custom<Abi>(Array.isArray),
  evm: z.object({ bytecode: z.object({ object: z.string() }) }),
})
const output = z.object({
  errors: z.array(z.object({ formattedMessage: z.string() })).default([]),
  contracts: z.object({ 'bridge.sol': z.record(z.string(), contract) }).optional(),
})

export interface Compiled {
  readonly name: string
  readonly abi: Abi
  readonly bytecode: Hex
}

/** The contracts of bridge.sol, by the compiler that is installed beside anvil: under a second. */
export function compileBridge(): (name: string) => Compiled {
  const solc = createRequire(new URL('package.json', folder))('solc') as { compile(input: string): string }
  const input = {
    language: 'Solidity',
    sources: { 'bridge.sol': { content: source } },
    settings: {
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const { errors, contracts } = output.parse(JSON.parse(solc.compile(JSON.stringify(input))))
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return (name) => {
    const found = contracts?.['bridge.sol'][name]
    if (!found) throw new Error(`bridge.sol has no contract ${name}`)
    return { name, abi: found.abi, bytecode: `0x${found.evm.bytecode.object}` }
  }
}
