export {
  type Answer,
  type Script,
  type ScriptedCall,
  type ScriptedClient,
  type ScriptedOptions,
  scripted,
} from "./scripted.ts";
