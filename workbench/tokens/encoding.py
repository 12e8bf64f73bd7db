"""One vocabulary in this process: its encoder, loaded once, and the counts that were made with it."""

from __future__ import annotations

import queue
import threading

from workbench.tokens.cache import TextCache
from workbench.tokens.vocabularies import Encoder, Vocabulary, VocabularyError, load

_shared: dict[str, Encoding] = {}


class Encoding:
    """Loads its vocabulary when somebody asks for the encoder."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.cache = TextCache()
        self.failure = ""
        """Why there is no encoder, once loading was tried."""
        self.is_loaded = False
        """Loading was tried."""
        self._encoder: Encoder | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> Encoding:
        """The one of this process."""
        return _shared.setdefault(vocabulary.name, cls(vocabulary))

    def encoder(self) -> Encoder | None:
        """The encoder; None: there is none, and `failure` says why. The first call takes a while."""
        if not self.is_loaded:
            with self._lock:  # threads that come meanwhile wait for the one that loads
                if not self.is_loaded:
                    try:
                        self._encoder = _load_for_good(self.vocabulary)
                    except VocabularyError as error:
                        self.failure = str(error)
                    self.is_loaded = True
        return self._encoder


def _load_for_good(vocabulary: Vocabulary) -> Encoder:
    """Load in a thread that stays: `kitoken` 0.11 crashes once the thread is gone in which its encoder was made.

    Threads of an event loop go with the loop, and the next loop would use what they have left behind.
    """
    outcomes: queue.SimpleQueue[Encoder | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            outcomes.put(load(vocabulary))
        except BaseException as error:
            outcomes.put(error)
        else:
            threading.Event().wait()

    threading.Thread(target=work, name=f"vocabulary {vocabulary.name}", daemon=True).start()
    outcome = outcomes.get()
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
