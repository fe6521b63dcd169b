import { clampRange, type Range } from '../chain/history.ts'
import { mainTransactionOf, mainTransactions } from '../chain/mainChain.ts'
import type { Log, MainTransaction } from '../chain/mainTransaction.ts'
import { verifiedContract } from '../chain/contracts.ts'
import type { World } from '../world.ts'
import type { Endpoint } from './endpoint.ts'
import { rangeOf } from './mainAddressEndpoints.ts'
import { placeOf, type Row } from './mainRows.ts'

// About so many logs are returned, the first ones; nothing says that there were more.
const maxLogs = 1_000

export const logEndpoints: readonly Endpoint[] = [
  {
    name: 'E18',
    chain: 'main',
    path: 'log/by-address-and-topic',
    parameters: { address: 'address!', topic0: 'hash!' },
    answer: ({ world, parameters }) => {
      const [address, topic] = [parameters.text('address'), parameters.text('topic0')]
      const test = (log: Log) => log.address === address && log.topics[0] === topic
      return firstLogs(world, clampRange(world, undefined, undefined), test)
    },
  },
  {
    name: 'E19',
    chain: 'main',
    path: 'log/by-block-and-address',
    parameters: { startBlockHeight: 'height!', endBlockHeight: 'height!', address: 'address!' },
    answer: ({ world, parameters }) => {
      const address = parameters.text('address')
      return firstLogs(world, rangeOf(world, parameters), (log) => log.address === address)
    },
  },
  {
    name: 'E20',
    chain: 'main',
    path: 'log/by-address',
    parameters: { address: 'address!' },
    answer: ({ world, parameters }) => {
      const address = parameters.text('address')
      return firstLogs(world, clampRange(world, undefined, undefined), (log) => log.address === address)
    },
  },
  {
    name: 'E21',
    chain: 'main',
    path: 'log/by-transaction',
    parameters: { txId: 'hash!' },
    answer: ({ world, parameters }) => {
      const transaction = mainTransactionOf(world, parameters.text('txId') as string)
      return transaction ? logRows(world, transaction, () => true).slice(0, maxLogs) : []
    },
  },
]

export const contractEndpoints: readonly Endpoint[] = [
  {
    name: 'E17',
    chain: 'main',
    path: 'contract/verify-contract-info',
    parameters: { contractAddress: 'address!' },
    answer: ({ world, parameters }) => {
      const contract = verifiedContract(world, parameters.text('contractAddress') as string)
      if (!contract) return []
      return [
        {
          sourceCode: `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.24;\n\ncontract ${contract.name} {}\n`,
          contractName: contract.name,
          compilerVersion: 'v0.8.24+commit.e11b9ed9',
          compilerType: 'solidity-single-file',
          optimization: '1',
          optimizationRuns: '200',
          contractAbi: JSON.stringify(contract.abi),
          evmVersion: 'cancun',
          licenseType: 'MIT',
          libraryInfo: '',
          proxy: contract.implementation === '' ? '0' : '1',
          implementation: contract.implementation,
          swarmSource: '',
        },
      ]
    },
  },
]

function firstLogs(world: World, range: Range, test: (log: Log) => boolean): Row[] {
  const rows: Row[] = []
  for (let height = range.from; height <= range.to && rows.length < maxLogs; height += 1) {
    for (const transaction of mainTransactions(world, height)) rows.push(...logRows(world, transaction, test))
  }
  return rows.slice(0, maxLogs)
}

function logRows(world: World, transaction: MainTransaction, test: (log: Log) => boolean): Row[] {
  if (transaction.failed) return []
  return transaction.logs
    .map((log, place) => ({ log, place }))
    .filter(({ log }) => test(log))
    .map(({ log, place }) => ({
      ...placeOf(world, transaction),
      address: log.address,
      topics: log.topics,
      data: log.data,
      methodId: transaction.methodId,
      logIndex: String(transaction.firstLog + place),
      txId: transaction.hash,
    }))
}
