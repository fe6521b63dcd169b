import { z } from 'zod'
import type { UnixMs } from '../../../lib/clock.ts'
import { endpoint, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { fitsOneOf } from '../fits.ts'
import type { KeysOf } from '../keys.ts'
import { createRecordReader, spelledAs } from '../recordReader.ts'

export interface VerifiedContract {
  readonly requestedAt: UnixMs
  readonly sourceCode: string
  readonly contractName: string
  readonly compilerVersion: string
  readonly compilerType: string
  /** `1` when the compiler optimised. */
  readonly optimization: string
  readonly optimizationRuns: string
  /** JSON. */
  readonly contractAbi: string
  readonly evmVersion: string
  readonly licenseType: string
  readonly libraries: readonly { readonly name: string; readonly address: string }[]
  /** `1` for a proxy. */
  readonly proxy: string
  /** Of a proxy; '' otherwise. */
  readonly implementation: string
  readonly swarmSource: string
  /** Not documented: '' where the service does not say whose source this is. */
  readonly contractAddress: string
  /** Fields that nothing is known of: missing, or not understood. */
  readonly unsaid: readonly string[]
}

/** R9. */
const verifiedContract = z
  .object({
    sourceCode: field.rawText,
    contractName: field.name,
    compilerVersion: field.name,
    compilerType: field.name,
    optimization: field.name,
    optimizationRuns: field.name,
    contractAbi: field.rawText,
    evmVersion: field.name,
    licenseType: field.name,
    libraryInfo: field.libraries,
    proxy: field.name,
    implementation: field.address,
    swarmSource: field.sentence,
    contractAddress: field.address,
  })
  .refine(
    (contract) => contract.contractAbi !== '' || contract.sourceCode !== '' || contract.implementation !== '',
    {
      message: 'expected source code, an ABI or an implementation, got none',
    },
  )

const fitsContract = fitsOneOf('contractAddress', (row: VerifiedContract) => [row.contractAddress])
/** What is compared with an earlier reading is judged by: a change of it is reported. */
const keys: KeysOf<typeof verifiedContract> = {
  sourceCode: 'judged',
  contractName: 'judged',
  compilerVersion: 'judged',
  compilerType: 'ignored',
  optimization: 'ignored',
  optimizationRuns: 'ignored',
  contractAbi: 'judged',
  evmVersion: 'ignored',
  licenseType: 'ignored',
  libraryInfo: 'ignored',
  proxy: 'ignored',
  implementation: 'judged',
  swarmSource: 'ignored',
  contractAddress: 'none',
}

/**
 * E17: ABI, source and basic data of a verified contract, or the implementation of a verified proxy (shape C, one
 * record R9). `libraryInfo` is an array, or an empty string when no library is used.
 * Source: API documentation, E17.
 */
export const verifiedContracts = endpoint({
  id: 'E17',
  name: 'verified-contract',
  path: '/api/v5/{main}/contract/verify-contract-info',
  chain: 'main',
  family: 'contracts',
  shape: 'C',
  arrays: [],
  params: z.strictObject({ contractAddress: param.address }),
  keys,
  createReader: () =>
    createRecordReader({
      schema: verifiedContract,
      keys,
      spellings: spelledAs({}),
      finish: ({ libraryInfo, ...contract }, requestedAt, unsaid): VerifiedContract => ({
        ...contract,
        unsaid,
        requestedAt,
        libraries: libraryInfo,
      }),
    }),
  // Of a proxy the service may name the implementation whose source it gives.
  contradicts: (row: VerifiedContract, params, rows) =>
    row.contractAddress === row.implementation ? null : fitsContract(row, params, rows),
  maxLimit: null,
})
