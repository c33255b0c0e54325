package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.PerFieldSimilarityWrapper;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.AlreadyClosedException;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.ThreadInterruptedException;
import org.jspecify.annotations.Nullable;

/**
 * A full-text index of a workspace in memory, one document per file. It is updated before each question, by time and
 * size of the files, so that an answer is never older than the question.
 *
 * <p>The lock guards the index and the state of its files. It is held while files are read, so that two sessions do not
 * index the same files twice, and waiting for it is interruptible. No update is sent while holding it except by
 * {@link Progress}, which must not use this index.
 */
final class WorkspaceIndex implements AutoCloseable {
    /** Receives the progress of indexing. */
    interface Progress {
        /** {@code done} of {@code total} changed files have been read. */
        void read(int done, int total) throws InterruptedException;
    }

    /**
     * A file that matches, best first.
     *
     * @param score as the search library ranks it; comparable within one result only
     * @param generated whether the file says that a program wrote it
     */
    record Match(WorkspaceFile file, float score, boolean generated) {}

    /**
     * The best files for a query.
     *
     * @param total how many files match at all
     */
    record Matches(List<Match> best, int total) {}

    static final String ID = "id";
    static final String NAME = "name";
    static final String PATH = "path";
    static final String SYMBOL = "symbol";
    static final String BODY = "body";
    /** The comment at the beginning of a file, which says what it is for. */
    static final String ABOUT = "about";
    /** The stem of the whole name of each type that a file defines. */
    static final String TYPE = "type";

    private static final String TYPE_NAME = "typeName";
    private static final String GENERATED = "generated";
    private static final int MAX_DEFINING = 50;

    private static final int WRITE_BUFFER_MB = 16;
    // The search library logs a warning if the JVM lacks an optional module, which is noise on an agent's standard
    // error.
    private static final Logger LIBRARY = Logger.getLogger("org.apache.lucene");

    private final WorkspaceFiles files;
    private final long maxText;
    private final CodeAnalyzer analyzer = new CodeAnalyzer();
    private final Synonyms synonyms = new Synonyms(analyzer);
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, WorkspaceFile> known = new HashMap<>();

    /** The names of known files that turned out not to be text. */
    @GuardedBy("lock")
    private final Set<String> noText = new HashSet<>();

    @GuardedBy("lock")
    private @Nullable IndexWriter writer;

    @GuardedBy("lock")
    private @Nullable DirectoryReader reader;

    @GuardedBy("lock")
    private FileListing listing = new FileListing(List.of(), false, false);

    @GuardedBy("lock")
    private long indexedText;

    static {
        LIBRARY.setLevel(Level.SEVERE);
    }

    WorkspaceIndex(WorkspaceFiles files) {
        // An index takes about half of the text's size, and as much again for a moment when its parts are merged.
        this(files, Math.min(512L << 20, Runtime.getRuntime().maxMemory() / 3));
    }

    WorkspaceIndex(WorkspaceFiles files, long maxText) {
        this.files = files;
        this.maxText = maxText;
    }

    CodeAnalyzer analyzer() {
        return analyzer;
    }

    WorkspaceFiles files() {
        return files;
    }

    List<SearchTerm> terms(Question question) {
        return SearchTerm.of(question, analyzer, synonyms);
    }

    /**
     * Updates the index. Returns the coverage of the search.
     *
     * @throws InterruptedException if the thread was interrupted; the files read so far stay in the index
     */
    Coverage refresh(Progress progress) throws InterruptedException, IOException {
        lock.lockInterruptibly();
        try {
            listing = files.list();
            List<WorkspaceFile> searchable = listing.searchable();
            dropVanished(searchable);
            readChanged(searchable, progress);
            reopen();
            return coverage(Scope.everywhere(), Set.of());
        } catch (ThreadInterruptedException e) {
            forget();
            throw interrupted(e);
        } catch (AlreadyClosedException | OutOfMemoryError e) {
            forget();
            throw new IOException("the search index failed and will be built again", e);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the coverage, as of the last refresh, of a search in these files; no extension means any. */
    Coverage coverage(Scope scope, Set<String> extensions) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            int searched = 0;
            int left = 0;
            int binary = 0;
            List<WorkspaceFile> tooLarge = new ArrayList<>();
            for (WorkspaceFile file : listing.files()) {
                if ((!extensions.isEmpty() && !extensions.contains(file.extension())) || !scope.includes(file)) {
                    continue;
                }
                if (file.isTooLarge()) {
                    tooLarge.add(file);
                } else if (!file.isSearchable() || noText.contains(file.name())) {
                    binary++;
                } else if (known.containsKey(file.name())) {
                    searched++;
                } else {
                    left++;
                }
            }
            return new Coverage(
                    searched,
                    left,
                    tooLarge,
                    binary,
                    listing.truncated(),
                    listing.files().size());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the files that define a type of exactly this name, in any case, as of the last refresh. */
    List<WorkspaceFile> definingType(String name) throws InterruptedException, IOException {
        List<String> terms = analyzer.terms(name);
        lock.lockInterruptibly();
        try {
            IndexSearcher searcher = searcher();
            if (searcher == null || terms.isEmpty()) {
                return List.of();
            }
            List<WorkspaceFile> found = new ArrayList<>();
            for (ScoreDoc hit :
                    searcher.search(new TermQuery(new Term(TYPE, terms.getFirst())), MAX_DEFINING).scoreDocs) {
                WorkspaceFile file =
                        known.get(searcher.storedFields().document(hit.doc).get(ID));
                if (file != null) {
                    found.add(file);
                }
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** Returns names of types that are similar to {@code name}, the most similar first, as of the last refresh. */
    List<String> typesLike(String name, int limit) throws InterruptedException, IOException {
        lock.lockInterruptibly();
        try {
            return reader == null ? List.of() : NearNames.of(MultiTerms.getTerms(reader, TYPE_NAME), name, limit);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the {@code limit} best files for {@code query} as of the last refresh. */
    Matches search(SearchQuery query, int limit) throws InterruptedException, IOException {
        lock.lockInterruptibly();
        try {
            IndexSearcher searcher = searcher();
            if (searcher == null) {
                return new Matches(List.of(), 0);
            }
            TopDocs top = searcher.search(query.toLucene(), limit);
            List<Match> best = new ArrayList<>();
            for (ScoreDoc hit : top.scoreDocs) {
                Document document = searcher.storedFields().document(hit.doc);
                WorkspaceFile file = known.get(document.get(ID));
                if (file != null) {
                    best.add(new Match(file, hit.score, document.get(GENERATED) != null));
                }
            }
            return new Matches(best, searcher.count(query.strongOnly()));
        } catch (ThreadInterruptedException e) {
            throw interrupted(e);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the weight of a term: the rarer, the higher; 0 for a term that no file contains. */
    float rarity(String term) throws InterruptedException, IOException {
        lock.lockInterruptibly();
        try {
            DirectoryReader current = reader;
            if (current == null) {
                return 0;
            }
            int withTerm = current.docFreq(new Term(BODY, term));
            int inNames = current.docFreq(new Term(PATH, term));
            int count = Math.max(withTerm, inNames);
            return count == 0 ? 0 : (float) Math.log(1 + (current.numDocs() - count + 0.5) / (count + 0.5));
        } finally {
            lock.unlock();
        }
    }

    /** Returns terms of the files that are spelled like {@code term}, the most similar first. */
    List<String> near(String term, int limit) throws InterruptedException, IOException {
        lock.lockInterruptibly();
        try {
            return reader == null ? List.of() : NearTerms.of(reader, term, limit);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            forget();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void dropVanished(List<WorkspaceFile> searchable) throws IOException {
        Set<String> names = new HashSet<>();
        for (WorkspaceFile file : searchable) {
            names.add(file.name());
        }
        for (WorkspaceFile file : List.copyOf(known.values())) {
            if (!names.contains(file.name())) {
                known.remove(file.name());
                noText.remove(file.name());
                indexedText -= file.size();
                writer().deleteDocuments(new Term(ID, file.name()));
            }
        }
    }

    @GuardedBy("lock")
    private void readChanged(List<WorkspaceFile> searchable, Progress progress)
            throws InterruptedException, IOException {
        List<WorkspaceFile> changed = new ArrayList<>();
        for (WorkspaceFile file : searchable) {
            WorkspaceFile before = known.get(file.name());
            if (before == null || !before.isSameState(file)) {
                changed.add(file);
            }
        }
        for (int done = 0; done < changed.size(); done++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            read(changed.get(done));
            progress.read(done + 1, changed.size());
        }
    }

    /** Reads a file into the index, unless it does not fit. */
    @GuardedBy("lock")
    private void read(WorkspaceFile file) throws IOException {
        WorkspaceFile before = known.remove(file.name());
        noText.remove(file.name());
        indexedText -= before == null ? 0 : before.size();
        if (indexedText + file.size() > maxText) {
            writer().deleteDocuments(new Term(ID, file.name()));
            return;
        }
        String text = TextFile.textOf(file);
        if (text == null) {
            noText.add(file.name());
            writer().deleteDocuments(new Term(ID, file.name()));
        } else {
            writer().updateDocument(new Term(ID, file.name()), document(file, text));
        }
        indexedText += file.size();
        known.put(file.name(), file);
    }

    private Document document(WorkspaceFile file, String text) {
        Document document = new Document();
        document.add(new StringField(ID, file.name(), Field.Store.YES));
        String fileName = file.fileName();
        int dot = fileName.lastIndexOf('.');
        document.add(new TextField(NAME, dot > 0 ? fileName.substring(0, dot) : fileName, Field.Store.NO));
        document.add(new TextField(PATH, file.name().replace('/', ' '), Field.Store.NO));
        Language language = Language.of(file);
        List<String> lines = WorkspaceSearch.lines(text);
        document.add(new TextField(SYMBOL, symbols(lines, language, document), Field.Store.NO));
        document.add(new TextField(ABOUT, LeadingComment.of(lines, language), Field.Store.NO));
        document.add(new TextField(BODY, text, Field.Store.NO));
        if (Prior.saysItIsGenerated(lines)) {
            document.add(new StoredField(GENERATED, ""));
        }
        return document;
    }

    /** Returns the names that the lines define, and adds those of types to {@code document}. */
    private String symbols(List<String> lines, Language language, Document document) {
        StringBuilder symbols = new StringBuilder();
        for (String line : lines) {
            String name = Definitions.nameIn(line, language);
            if (name == null) {
                continue;
            }
            symbols.append(name).append('\n');
            if (Definitions.typeKeyword(line, language) != null) {
                List<String> terms = analyzer.terms(name);
                document.add(new StringField(TYPE_NAME, name, Field.Store.NO));
                if (!terms.isEmpty()) {
                    document.add(new StringField(TYPE, terms.getFirst(), Field.Store.NO));
                }
            }
        }
        return symbols.toString();
    }

    @GuardedBy("lock")
    private IndexWriter writer() throws IOException {
        IndexWriter current = writer;
        if (current == null) {
            IndexWriterConfig config = new IndexWriterConfig(analyzer)
                    .setSimilarity(new FieldSimilarity())
                    .setRAMBufferSizeMB(WRITE_BUFFER_MB)
                    .setMergeScheduler(new SerialMergeScheduler())
                    .setCommitOnClose(false);
            current = new IndexWriter(new ByteBuffersDirectory(), config);
            writer = current;
        }
        return current;
    }

    @GuardedBy("lock")
    private void reopen() throws IOException {
        DirectoryReader current = reader;
        if (current == null) {
            reader = DirectoryReader.open(writer());
            return;
        }
        DirectoryReader newer = DirectoryReader.openIfChanged(current);
        if (newer != null) {
            reader = newer;
            current.close();
        }
    }

    @GuardedBy("lock")
    private @Nullable IndexSearcher searcher() {
        DirectoryReader current = reader;
        if (current == null) {
            return null;
        }
        IndexSearcher searcher = new IndexSearcher(current);
        searcher.setSimilarity(new FieldSimilarity());
        return searcher;
    }

    /** Discards everything, so that the next refresh starts from scratch. */
    @GuardedBy("lock")
    private void forget() {
        try {
            if (reader != null) {
                reader.close();
            }
            if (writer != null) {
                writer.rollback();
            }
        } catch (IOException | ThreadInterruptedException e) {
            LIBRARY.log(Level.FINE, "closing a broken index", e);
        }
        reader = null;
        writer = null;
        known.clear();
        noText.clear();
        indexedText = 0;
    }

    private static InterruptedException interrupted(ThreadInterruptedException e) {
        InterruptedException interrupted = new InterruptedException();
        interrupted.initCause(e);
        return interrupted;
    }

    /** Names are short and say much: their length counts less than that of a text. */
    private static final class FieldSimilarity extends PerFieldSimilarityWrapper {
        private final Similarity text = new BM25Similarity(1.2f, 0.6f);
        private final Similarity names = new BM25Similarity(0.8f, 0.3f);

        @Override
        public Similarity get(String field) {
            return field.equals(BODY) ? text : names;
        }
    }
}
