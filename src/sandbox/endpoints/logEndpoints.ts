import { mayLog } from '../chain/glimpse.ts'
import { oldestItems } from '../chain/history.ts'
import { mainTransactionOf } from '../chain/mainChain.ts'
import type { Log, MainTransaction } from '../chain/mainTransaction.ts'
import { verifiedContract } from '../chain/contracts.ts'
import type { World } from '../world.ts'
import type { Endpoint } from './endpoint.ts'
import type { Parameters } from '../parameters.ts'
import { questionOf } from './mainAddressEndpoints.ts'
import { placeOf, type Row } from './mainRows.ts'

// About so many logs are returned, the first ones; nothing says that there were more.
const maxLogs = 1_000

export const logEndpoints: readonly Endpoint[] = [
  {
    name: 'E18',
    chain: 'main',
    path: 'log/by-address-and-topic',
    parameters: { address: 'address!', topic0: 'hash!' },
    answer: ({ world, parameters }) => firstLogs(world, 'E18', parameters),
  },
  {
    name: 'E19',
    chain: 'main',
    path: 'log/by-block-and-address',
    parameters: { startBlockHeight: 'height!', endBlockHeight: 'height!', address: 'address!' },
    answer: ({ world, parameters }) => firstLogs(world, 'E19', parameters),
  },
  {
    name: 'E20',
    chain: 'main',
    path: 'log/by-address',
    parameters: { address: 'address!' },
    answer: ({ world, parameters }) => firstLogs(world, 'E20', parameters),
  },
  {
    name: 'E21',
    chain: 'main',
    path: 'log/by-transaction',
    parameters: { txId: 'hash!' },
    answer: ({ world, parameters }) => {
      const transaction = mainTransactionOf(world, parameters.required('txId'))
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
      const contract = verifiedContract(world, parameters.required('contractAddress'))
      if (!contract) return []
      return [
        {
          sourceCode: `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.24;\n\ncontract ${contract.name} {}\n`,
          contractName: contract.name,
          compilerVersion: contract.compiler,
          compilerType: 'solidity-single-file',
          optimization: '1',
          optimizationRuns: '200',
          contractAbi: JSON.stringify(contract.abi),
          evmVersion: 'cancun',
          licenseType: 'MIT',
          libraryInfo: libraryInfo(world),
          proxy: contract.implementation === '' ? '0' : '1',
          implementation: contract.implementation,
          swarmSource: '',
        },
      ]
    },
  },
]

function libraryInfo(world: World) {
  switch (world.answers.libraries) {
    case 'text':
      return ''
    case 'array':
      return []
    case 'used':
      return [{ libraryName: 'SafeMath', libraryAddress: world.contracts.bridgeImplementation }]
    default:
      return world.answers.libraries satisfies never
  }
}

function firstLogs(world: World, name: string, parameters: Parameters): Row[] {
  const address = parameters.required('address')
  const topic = parameters.text('topic0')
  const test = (log: Log) => log.address === address && (topic === undefined || log.topics[0] === topic)
  const rows = oldestItems(world, {
    ...questionOf(name, parameters),
    limit: maxLogs,
    mayHold: mayLog(world, address, topic),
    itemsOf: (transaction) => logRows(world, transaction, test),
  })
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
