import {
  balanceOf,
  type Chain,
  hashOf,
  heightOf,
  logsOf,
  mainBlockHash,
  mainHeight,
  mainTime,
  type MainTx,
  nativeOf,
  standing,
} from './chain.ts'
import type { Call } from './faults.ts'

const hex = (value: number | bigint) => `0x${value.toString(16)}`

/** The result of one call: `preconf` shows the block being made, `canonical` complete ones only. */
export function answerRpc(chain: Chain, now: number, node: string, call: Call): unknown {
  return resultOf(standing(chain, now), now, node === 'preconf', call)
}

function resultOf(chain: Chain, now: number, isPreconf: boolean, { method, params }: Call): unknown {
  const latest = mainHeight(chain, now)
  const head = isPreconf ? latest + 1 : latest
  const heightFor = (tag: unknown) => {
    if (typeof tag === 'string' && tag.startsWith('0x')) return Number(tag)
    return tag === 'pending' ? head : latest
  }
  const transactions = (height: number) =>
    chain.mainTxs.filter((tx) => !tx.isForged && tx.at <= now && heightOf(chain, tx, now) === height)
  const block = (height: number) => ({ chain, now, height, transactions: transactions(height) })
  const find = (hash: unknown) => {
    const tx = chain.mainTxs.find((each) => each.hash === hash && !each.isForged && each.at <= now)
    const height = tx && heightOf(chain, tx, now)
    return tx && height !== undefined && height <= head ? { tx, block: block(height) } : null
  }
  switch (method) {
    case 'eth_blockNumber':
      return hex(heightFor(params[0]))
    case 'eth_getBlockByNumber': {
      const height = heightFor(params[0])
      return height > head ? null : blockObject(block(height), params[1] === true)
    }
    case 'eth_getBlockReceipts': {
      const height = heightFor(params[0])
      const its = block(height)
      return height > head ? null : its.transactions.map((tx) => receipt(its, tx))
    }
    case 'eth_getTransactionReceipt': {
      const found = find(params[0])
      return found && receipt(found.block, found.tx)
    }
    case 'eth_getTransactionByHash': {
      const found = find(params[0])
      return found && transactionObject(found.block, found.tx)
    }
    case 'eth_getBalance':
      return hex(nativeOf(chain, String(params[0]).toLowerCase(), heightFor(params[1])))
    case 'eth_call':
      return callResult(chain, params[0] as { to: string; data: string }, heightFor(params[1]))
    case 'eth_getCode':
      return '0x6000'
    default:
      return null
  }
}

function callResult(chain: Chain, { to, data }: { to: string; data: string }, height: number): string {
  const token = [...chain.tokens, ...chain.dormant].find(({ address }) => address === to.toLowerCase())
  if (!token) return '0x'
  const owner = `0x${data.slice(34, 74)}`.toLowerCase()
  const word = (value: bigint | number) => `0x${value.toString(16).padStart(64, '0')}`
  if (data.startsWith('0x70a08231')) return word(balanceOf(chain, owner, token, '', height))
  if (data.startsWith('0x00fdd58e'))
    return word(balanceOf(chain, owner, token, BigInt(`0x${data.slice(74)}`).toString(), height))
  return data.startsWith('0x313ce567') ? word(token.decimals) : '0x'
}

interface Block {
  readonly chain: Chain
  readonly now: number
  readonly height: number
  readonly transactions: readonly MainTx[]
}

const zeros = (digits: number) => `0x${'0'.repeat(digits)}`
const blockHash = ({ chain, height, now, transactions }: Block) =>
  height > mainHeight(chain, now)
    ? hashOf('preconfirmed', height, transactions.length)
    : mainBlockHash(chain, height, now)

function blockObject(block: Block, full: boolean) {
  const { chain, now, height, transactions } = block
  return {
    number: hex(height),
    hash: blockHash(block),
    parentHash: mainBlockHash(chain, height - 1, now),
    nonce: zeros(16),
    timestamp: hex(Math.floor(mainTime(chain, height) / 1_000)),
    gasLimit: hex(60_000_000),
    gasUsed: hex(transactions.length * 100_000),
    miner: chain.signer,
    transactions: full
      ? transactions.map((tx) => transactionObject(block, tx))
      : transactions.map((tx) => tx.hash),
  }
}

const placeOf = (block: Block, tx: MainTx) => ({
  blockHash: blockHash(block),
  blockNumber: hex(block.height),
  transactionIndex: hex(block.transactions.indexOf(tx)),
})

function transactionObject(block: Block, tx: MainTx) {
  return {
    ...placeOf(block, tx),
    hash: tx.hash,
    from: tx.from,
    to: tx.to,
    nonce: '0x1',
    value: hex(tx.wei ?? 0n),
    input: '0x1828686a',
    gas: hex(200_000),
    gasPrice: hex(1_000_000_000),
    type: '0x2',
    r: '0x1',
    s: '0x1',
    v: '0x1',
  }
}

function receipt(block: Block, tx: MainTx) {
  const before = block.transactions
    .slice(0, block.transactions.indexOf(tx))
    .reduce((sum, one) => sum + logsOf(one).length, 0)
  return {
    ...placeOf(block, tx),
    transactionHash: tx.hash,
    from: tx.from,
    to: tx.to,
    cumulativeGasUsed: hex(100_000),
    gasUsed: hex(100_000),
    effectiveGasPrice: hex(1_000_000_000),
    contractAddress: null,
    logsBloom: zeros(512),
    status: tx.failed ? '0x0' : '0x1',
    type: '0x2',
    logs: logsOf(tx).map((log, index) => ({
      ...log,
      ...placeOf(block, tx),
      transactionHash: tx.hash,
      logIndex: hex(before + index),
      removed: false,
    })),
  }
}
