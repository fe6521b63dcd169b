import type { Config } from '../config/config.ts'
import type { RpcSource } from '../clients/rpc/createRpc.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { nearest } from '../lib/nearest.ts'
import { toJson } from '../lib/toJson.ts'
import { cleanText } from '../lib/text.ts'
import { isRpcMethod, prepareParams, rpcMethods, type RpcMethodName } from '../clients/rpc/rpcMethods.ts'
import { describeMethod } from './describeMethods.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'

export interface RpcCommand {
  readonly config: string
  readonly canonical?: boolean
  readonly zone?: boolean
}

/** `spanwatch rpc`: one question of the preconfirmation RPC, or of a chain's own node; the result as JSON. */
export async function rpc(
  io: Io,
  method: string,
  words: readonly string[],
  options: RpcCommand,
): Promise<number> {
  const name = getMethod(method)
  const params = words.map(toParam)
  const prepared = prepareParams(name, params)
  if ('problem' in prepared)
    throw new MonitorError('usage', `${name}: ${prepared.problem}\nIt takes: ${describeMethod(name)}`)
  const { config } = readConfig(io, options.config, { needs: ['preconf', 'canonical', 'zoneRpc'] })
  if (options.canonical && options.zone)
    throw new MonitorError('usage', 'rpc: expected --canonical or --zone')
  const source = options.zone ? 'zoneRpc' : options.canonical ? 'canonical' : 'preconf'
  const url = urlOf(config, source)
  // Only here: viem takes a tenth of a second to load, which no other command needs.
  const { createRpc } = await import('../clients/rpc/createRpc.ts')
  const client = createRpc({ source, url, clock: io.clock })
  try {
    // The parameters were checked just now.
    const how = { attempts: 3, signal: io.stop }
    const value: unknown = await client.call(name, params as never, how)
    io.out(`${toJson(value, 2)}\n`)
    if (value === null) io.err(`${name}: the node knows no such thing\n`)
    return exitCodes.fine
  } catch (error) {
    if (io.stop.aborted) return exitCodes.wrong
    if (error instanceof MonitorError && error.details['rpcCode'] !== undefined) {
      // A call that reverts is an answer, and no mistake in the command line.
      io.err(`${errorText(error)}\n`)
      return exitCodes.wrong
    }
    throw error
  } finally {
    await client.close()
  }
}

function getMethod(text: string): RpcMethodName {
  const names = Object.keys(rpcMethods)
  const found = [text, `eth_${text}`].find((name) => isRpcMethod(name))
  if (found !== undefined && isRpcMethod(found)) return found
  const like = nearest(text.startsWith('eth_') ? text : `eth_${text}`, names)
  const hint = like === null ? '' : ` Did you mean ${like}?`
  throw new MonitorError(
    'usage',
    `rpc: there is no method "${cleanText(text)}".${hint} Methods: ${names.join(', ')}`,
  )
}

/** A word of the command line as a parameter: true, false, a number, an object in JSON, or the text itself. */
function toParam(word: string): unknown {
  if (word === 'true' || word === 'false') return word === 'true'
  if (/^\d{1,15}$/.test(word)) return Number(word)
  if (!word.startsWith('{')) return word
  try {
    return JSON.parse(word)
  } catch {
    throw new MonitorError('usage', `rpc: expected JSON, got ${cleanText(word)}`)
  }
}

function urlOf(config: Config, source: RpcSource): string {
  const url = config[source]?.url
  if (url) return url.reveal()
  const others = [
    ...(source !== 'canonical' && config.canonical ? ['--canonical asks the node of the main chain'] : []),
    ...(source !== 'zoneRpc' && config.zoneRpc ? ['--zone that of the zone chain'] : []),
  ]
  const other = others.length === 0 ? '' : ` (${others.join(', ')})`
  throw new MonitorError('usage', `rpc: the configuration names no ${source}.url${other}`)
}
