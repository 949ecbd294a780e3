// The page of the models: the fine-tune that runs is followed.
import { follow } from "/following.js";

follow(document.querySelector("#progress"), "/models/progress");
