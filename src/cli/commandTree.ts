import type { Argument, Command, Option } from 'commander'

/** A command as its help says it: what completion and the manual are made from. */
export interface CommandNode {
  /** From the first word below the program's name; empty for the program itself. */
  readonly path: readonly string[]
  readonly summary: string
  readonly usage: string
  readonly arguments: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly OptionNode[]
  readonly commands: readonly CommandNode[]
}

export interface OptionNode {
  /** As typed, the long one last. */
  readonly names: readonly string[]
  readonly flags: string
  readonly summary: string
  /** What it takes; null for one that is given or not. */
  readonly takes: 'file' | 'folder' | 'text' | null
  readonly choices: readonly string[]
  /** Null when nothing holds without it. */
  readonly usual: string | null
}

export function readCommandTree(command: Command, path: readonly string[] = []): CommandNode {
  const help = command.createHelp()
  return {
    path,
    summary: command.description(),
    usage: ['spanwatch', ...path, command.usage()].join(' '),
    arguments: command.registeredArguments.map((argument) => ({
      name: nameArgument(argument),
      summary: argument.description,
    })),
    options: help.visibleOptions(command).map(readOption),
    commands: help
      .visibleCommands(command)
      .filter((below) => below.name() !== 'help')
      .map((below) => readCommandTree(below, [...path, below.name()])),
  }
}

/** All commands that can be run: those without commands below them. */
export function listLeaves(node: CommandNode): readonly CommandNode[] {
  return node.commands.length === 0 ? [node] : node.commands.flatMap(listLeaves)
}

/** The program and every command below it. */
export function listNodes(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(listNodes)]
}

function nameArgument(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

function readOption(option: Option): OptionNode {
  const value = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? null
  const usual: unknown = option.defaultValue
  return {
    names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
    flags: option.flags,
    summary: option.description,
    takes: value === 'file' || value === 'folder' || value === null ? value : 'text',
    choices: option.argChoices ?? [],
    usual: typeof usual === 'string' ? usual : null,
  }
}
