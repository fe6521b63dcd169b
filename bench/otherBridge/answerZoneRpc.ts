import { addressOf, type Chain, hashOf, zoneHeight, zoneTime, type ZoneTx } from './chain.ts'
import type { Call } from './faults.ts'

const hex = (value: number | bigint) => `0x${value.toString(16)}`

const withdrawnTopic = hashOf('Withdrawn(bytes)')

/** What writes a log about each withdrawal on the zone. */
export const zoneContractOf = (chain: Chain): string => addressOf('zone contract', chain.bridge)

/** The result of one call to the zone's own node: its head, its blocks, receipts and logs. */
export function answerZoneRpc(chain: Chain, now: number, { method, params }: Call): unknown {
  const head = zoneHeight(chain, now)
  const shown = chain.zoneTxs.filter(({ at }) => zoneHeight(chain, at) <= head)
  switch (method) {
    case 'eth_blockNumber':
      return hex(head)
    case 'eth_getBlockByNumber': {
      const [tag] = params
      const height = typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : head
      return height > head ? null : blockObject(chain, shown, height)
    }
    case 'eth_getTransactionReceipt': {
      const found = shown.find(({ hash }) => hash === params[0])
      return found ? receipt(chain, found) : null
    }
    case 'eth_getLogs': {
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
      return shown
        .filter(({ at }) => {
          const height = zoneHeight(chain, at)
          return height >= Number(fromBlock) && height <= Number(toBlock)
        })
        .flatMap((tx) => logsOf(chain, tx))
    }
    default:
      return null
  }
}

const blockHash = (height: number) => hashOf('zone block', height)

function blockObject(chain: Chain, shown: readonly ZoneTx[], height: number) {
  return {
    number: hex(height),
    hash: blockHash(height),
    parentHash: blockHash(height - 1),
    timestamp: hex(Math.floor(zoneTime(chain, height) / 1_000)),
    miner: chain.signer,
    transactions: shown.filter(({ at }) => zoneHeight(chain, at) === height).map(({ hash }) => hash),
  }
}

function logsOf(chain: Chain, { hash, at, failed, actionType, from }: ZoneTx) {
  if (failed !== undefined || !/withdraw/i.test(actionType)) return []
  const height = zoneHeight(chain, at)
  const log = {
    address: zoneContractOf(chain),
    topics: [withdrawnTopic],
    data: `0x${from.slice(2).padStart(64, '0')}`,
  }
  const place = { blockNumber: hex(height), blockHash: blockHash(height), transactionHash: hash }
  return [{ ...log, ...place, transactionIndex: '0x0', logIndex: '0x0', removed: false }]
}

function receipt(chain: Chain, tx: ZoneTx) {
  const { hash, at, failed } = tx
  const height = zoneHeight(chain, at)
  return {
    transactionHash: hash,
    transactionIndex: '0x0',
    blockHash: blockHash(height),
    blockNumber: hex(height),
    status: failed === undefined ? '0x1' : '0x0',
    logs: logsOf(chain, tx),
  }
}
